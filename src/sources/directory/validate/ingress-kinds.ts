import * as z from 'zod';

/** Ingress and IngressClass, with the API server's rules for what is read of them. Source: networking.k8s.io/v1, its validation. */
const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const host = z
  .string()
  .max(253)
  .regex(
    new RegExp(`^(\\*\\.)?${label}(\\.${label})*$`),
    'must be a host name in lower case, of which the first label may be *',
  );
const name = z.string().min(1).max(253);

const backend = z
  .looseObject({
    service: z
      .looseObject({
        name,
        port: z
          .looseObject({ name: z.string().optional(), number: z.number().int().min(1).max(65_535).optional() })
          .refine((port) => (port.name === undefined) !== (port.number === undefined), 'is either a name or a number'),
      })
      .optional(),
    resource: z.looseObject({ apiGroup: z.string().optional(), kind: name, name }).optional(),
  })
  .refine(
    ({ service, resource }) => (service === undefined) !== (resource === undefined),
    'is either a service or a resource',
  );

const path = z
  .looseObject({
    path: z.string().optional(),
    pathType: z.enum(['Exact', 'Prefix', 'ImplementationSpecific']),
    backend,
  })
  .superRefine(({ path: value, pathType }, context) => {
    const fail = (message: string) => context.addIssue({ code: 'custom', path: ['path'], message });
    if (pathType === 'ImplementationSpecific' && !value) return;
    if (!value?.startsWith('/')) fail('must begin with /');
    else if (pathType !== 'ImplementationSpecific' && odd.test(value))
      fail('must not have //, /./, /../, %2f or %5c, nor end in /. or /..');
  });

const odd = /\/\/|\/\.\/|\/\.\.\/|%2f|%5c|\/\.\.?$/i;

export const ingress = z.looseObject({
  spec: z
    .looseObject({
      ingressClassName: name.optional(),
      defaultBackend: backend.optional(),
      tls: z
        .array(z.looseObject({ hosts: z.array(host).optional(), secretName: z.string().max(253).optional() }))
        .optional(),
      rules: z
        .array(
          z.looseObject({
            host: z.union([z.literal(''), host]).optional(),
            http: z.looseObject({ paths: z.array(path).min(1) }).optional(),
          }),
        )
        .optional(),
    })
    .refine(
      ({ rules = [], defaultBackend }) => rules.length > 0 || defaultBackend !== undefined,
      'has neither rules nor a defaultBackend',
    ),
});

export const ingressClass = z.looseObject({
  spec: z.looseObject({
    controller: z.string().max(250).optional(),
    parameters: z
      .looseObject({
        apiGroup: z.string().optional(),
        kind: name,
        name,
        namespace: name.optional(),
        scope: z.enum(['Cluster', 'Namespace']).default('Cluster'),
      })
      .superRefine(({ scope, namespace }, context) => {
        if ((scope === 'Namespace') !== (namespace !== undefined))
          context.addIssue({
            code: 'custom',
            path: ['namespace'],
            message: 'goes with scope Namespace, and with no other',
          });
      })
      .optional(),
  }),
});
