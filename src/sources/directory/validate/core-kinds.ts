import { isIP } from 'node:net';
import * as z from 'zod';
import { ingress, ingressClass } from './ingress-kinds.ts';
import type { Cause } from './schema.ts';

/**
 * The core kinds' part that is read, with the API server's rules and defaults for it. Other fields of these kinds are real and let through.
 * Each schema gives the object's body without metadata.
 */
const port = z.number().int().min(1).max(65_535);
const portName = z
  .string()
  .max(63)
  .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/, 'must be lower-case letters, digits and "-"');
const protocol = z.enum(['TCP', 'UDP', 'SCTP']).default('TCP');
const appProtocol = z.string().max(253).optional();

const servicePort = z
  .looseObject({
    name: portName.optional(),
    port,
    protocol,
    appProtocol,
    targetPort: z.union([port, portName], 'must be a port number or a port name').optional(),
    nodePort: port.optional(),
  })
  .transform((entry) => ({ ...entry, targetPort: entry.targetPort ?? entry.port }));

const service = z.looseObject({
  spec: z
    .looseObject({
      type: z.enum(['ClusterIP', 'NodePort', 'LoadBalancer', 'ExternalName']).default('ClusterIP'),
      clusterIP: z.string().optional(),
      externalName: z.string().optional(),
      ports: z.array(servicePort).optional(),
      selector: z.record(z.string(), z.string()).optional(),
    })
    .superRefine((spec, context) => {
      const fail = (path: (string | number)[], message: string) => context.addIssue({ code: 'custom', path, message });
      const ports = spec.ports ?? [];
      if (spec.type === 'ExternalName' && !spec.externalName)
        fail(['externalName'], 'is required for type ExternalName');
      if (spec.type !== 'ExternalName' && spec.clusterIP !== 'None' && ports.length === 0)
        fail(['ports'], 'is required');
      const seen = new Set<string>();
      const isTaken = (what: string) => seen.size === seen.add(what).size;
      ports.forEach((entry, index) => {
        if (ports.length > 1 && entry.name === undefined)
          fail(['ports', index, 'name'], 'is required when there are several ports');
        const number = `${entry.port}/${entry.protocol}`;
        if (isTaken(number)) fail(['ports', index], `port ${number} is there twice`);
        if (entry.name !== undefined && isTaken(entry.name))
          fail(['ports', index, 'name'], `the name "${entry.name}" is there twice`);
      });
    }),
});

const serviceImport = z.looseObject({
  spec: z.looseObject({
    type: z.enum(['ClusterSetIP', 'Headless']).default('ClusterSetIP'),
    ports: z
      .array(z.looseObject({ name: z.union([portName, z.literal('')]).optional(), port, protocol, appProtocol }))
      .optional(),
  }),
});

const condition = z
  .boolean()
  .nullish()
  .transform((value) => value ?? undefined);

const endpointSlice = z
  .looseObject({
    addressType: z.enum(['IPv4', 'IPv6', 'FQDN']),
    endpoints: z
      .array(
        z.looseObject({
          addresses: z.array(z.string()).min(1).max(100),
          conditions: z.looseObject({ ready: condition, serving: condition, terminating: condition }).optional(),
          zone: z.string().optional(),
          nodeName: z.string().optional(),
        }),
      )
      .max(1000)
      .nullish()
      .transform((list) => list ?? []),
    ports: z
      .array(
        z.looseObject({
          name: z.union([portName, z.literal('')]).default(''),
          port: port.optional(),
          protocol,
          appProtocol,
        }),
      )
      .optional(),
  })
  .superRefine((slice, context) => {
    const version = { IPv4: 4, IPv6: 6, FQDN: 0 }[slice.addressType];
    slice.endpoints.forEach((endpoint, index) => {
      endpoint.addresses.forEach((address, at) => {
        if (isIP(address) === version) return;
        const path = ['endpoints', index, 'addresses', at];
        context.addIssue({ code: 'custom', path, message: `"${address}" is not an ${slice.addressType} address` });
      });
    });
  });

// Strict: Node's own decoder passes over what is not base64.
const base64 = z
  .string()
  .regex(
    /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/,
    'is not base64 (use stringData for plain text)',
  );
const unwrapped = z
  .string()
  .transform((value) => value.replaceAll(/[\r\n]/g, ''))
  .pipe(base64);

const secret = z
  .looseObject({
    type: z.string().default('Opaque'),
    data: z.record(z.string(), unwrapped).nullish(),
    stringData: z.record(z.string(), z.string()).nullish(),
  })
  .transform(({ stringData, data, ...rest }) => {
    const encoded = Object.entries(stringData ?? {}).map(([key, text]) => [key, Buffer.from(text).toString('base64')]);
    return { ...rest, data: { ...data, ...Object.fromEntries(encoded) } as Record<string, string> };
  })
  .superRefine((value, context) => {
    if (value.type !== 'kubernetes.io/tls') return;
    for (const key of ['tls.crt', 'tls.key']) {
      if (value.data[key] === undefined)
        context.addIssue({ code: 'custom', path: ['data', key], message: 'is required in a kubernetes.io/tls Secret' });
    }
  });

const configMap = z
  .looseObject({
    data: z.record(z.string(), z.string()).nullish(),
    binaryData: z.record(z.string(), unwrapped).nullish(),
  })
  .transform(({ data, ...rest }) => ({ ...rest, data: data ?? {} }));

const pod = z.looseObject({
  spec: z.looseObject({ nodeName: z.string().optional() }).optional(),
  status: z
    .looseObject({
      podIPs: z
        .array(z.looseObject({ ip: z.string().refine((ip) => isIP(ip) !== 0, 'is not an IP address') }))
        .optional(),
      conditions: z.array(z.looseObject({ type: z.string(), status: z.enum(['True', 'False', 'Unknown']) })).optional(),
    })
    .optional(),
});

const clusterTrustBundle = z.looseObject({
  spec: z.looseObject({ signerName: z.string().optional(), trustBundle: z.string() }),
});

const coreKinds: Readonly<Record<string, z.ZodType>> = {
  Namespace: z.looseObject({}),
  Service: service,
  ServiceImport: serviceImport,
  EndpointSlice: endpointSlice,
  Secret: secret,
  ConfigMap: configMap,
  Pod: pod,
  ClusterTrustBundle: clusterTrustBundle,
  IngressClass: ingressClass,
  Ingress: ingress,
};

export type CoreResult = { readonly body: Readonly<Record<string, unknown>> } | { readonly causes: readonly Cause[] };

/** Checks the body (all but metadata) of a core kind and fills in defaults; undefined for kinds that are not core. */
export function checkCoreKind(kind: string, body: unknown, limit = Number.POSITIVE_INFINITY): CoreResult | undefined {
  const schema = Object.hasOwn(coreKinds, kind) ? coreKinds[kind] : undefined;
  if (schema === undefined) return undefined;
  const result = schema.safeParse(body);
  if (result.success) return { body: result.data as Record<string, unknown> };
  return {
    causes: result.error.issues
      .slice(0, limit)
      .map((issue) => ({ path: issue.path as (string | number)[], message: issue.message })),
  };
}
