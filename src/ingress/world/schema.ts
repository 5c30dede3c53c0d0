import * as z from 'zod';

/** The shapes that the rest of this room relies on. What else an object says is kept, for tables that know more of it. */
const object = z.looseObject;

const texts = z.record(z.string(), z.string());

const metadata = object({
  name: z.string().min(1),
  namespace: z.string().optional(),
  annotations: texts.nullish().transform(absent),
  labels: texts.nullish().transform(absent),
  creationTimestamp: z.string().nullish().transform(absent),
});

const backend = object({
  service: object({
    name: z.string(),
    port: object({ name: z.string().optional(), number: z.int().min(0).max(65_535).optional() }).optional(),
  }).optional(),
  resource: object({ kind: z.string(), name: z.string() }).optional(),
});

const ingress = object({
  spec: object({
    ingressClassName: z.string().optional(),
    defaultBackend: backend.optional(),
    tls: z.array(object({ hosts: z.array(z.string()).optional(), secretName: z.string().optional() })).optional(),
    rules: z
      .array(
        object({
          host: z.string().optional(),
          http: object({
            paths: z.array(object({ path: z.string().optional(), pathType: z.string().optional(), backend })),
          }).optional(),
        }),
      )
      .optional(),
  }),
});

const words = z.array(z.string()).nullish().transform(absent);

const workload = object({
  spec: object({
    template: object({
      spec: object({
        containers: z.array(object({ image: z.string().optional(), command: words, args: words })),
      }),
    }),
  }),
});

const servicePort = object({ name: z.string().optional(), port: z.int() });

/** Of each kind, beside its metadata. */
const shapes = {
  Ingress: ingress,
  IngressClass: object({ spec: object({ controller: z.string().optional() }).default({}) }),
  Service: object({
    spec: object({ ports: z.array(servicePort).nullish().transform(absent) }),
  }),
  EndpointSlice: object({
    endpoints: z
      .array(object({ addresses: z.array(z.string()), conditions: object({ ready: z.boolean().nullish() }).nullish() }))
      .nullish()
      .transform((endpoints) => endpoints ?? []),
  }),
  Secret: object({ data: texts.nullish().transform(absent), stringData: texts.nullish().transform(absent) }),
  ConfigMap: object({ data: texts.nullish().transform(absent) }),
  Deployment: workload,
  DaemonSet: workload,
};

function absent<T>(value: T | null | undefined): T | undefined {
  return value ?? undefined;
}

/** The API versions of the kinds. */
export const apiVersions: Readonly<Record<keyof typeof shapes, string>> = {
  Ingress: 'networking.k8s.io/v1',
  IngressClass: 'networking.k8s.io/v1',
  Service: 'v1',
  EndpointSlice: 'discovery.k8s.io/v1',
  Secret: 'v1',
  ConfigMap: 'v1',
  Deployment: 'apps/v1',
  DaemonSet: 'apps/v1',
};

export const schemas = Object.fromEntries(
  Object.entries(shapes).map(([kind, shape]) => [kind, shape.extend({ metadata })]),
) as unknown as Readonly<Record<keyof typeof shapes, z.ZodType>>;
