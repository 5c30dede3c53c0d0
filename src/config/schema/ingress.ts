import * as z from 'zod';
import { flag, text } from './leaf.ts';

const classNames = 'a list of names of IngressClasses such as ["nginx"]';

const className = () => text(classNames).regex(/^[a-z0-9]([-.a-z0-9]{0,251}[a-z0-9])?$/, { error: classNames });

/** Ingresses that are served. */
export const ingress = z
  .strictObject({
    enabled: flag()
      .prefault(false)
      .describe(
        'Reads Ingresses and IngressClasses, and serves those of its classes. Needs the rights of `rbac/ingress.yaml`.',
      ),
    controllerName: text('a name such as "gatewright.dev/ingress-controller"')
      .regex(/^[a-z0-9.-]+\/[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/, {
        error: 'DOMAIN/PATH such as "gatewright.dev/ingress-controller"',
      })
      .default('gatewright.dev/ingress-controller')
      .describe('IngressClasses with this `spec.controller` belong to this control plane.'),
    gateway: text('a Gateway such as "infra/edge"')
      .regex(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?\/[a-z0-9]([-.a-z0-9]{0,251}[a-z0-9])?$/, {
        error: 'NAMESPACE/NAME of a Gateway, such as "infra/edge"',
      })
      .optional()
      .describe('The Gateway of IngressClasses without `spec.parameters`, as `NAMESPACE/NAME`.'),
    adopt: z
      .array(className(), { error: classNames })
      .refine((names) => new Set(names).size === names.length, { error: 'each class once' })
      .meta({ title: 'list of names' })
      .default([])
      .describe(
        'IngressClasses of ingress-nginx, such as `nginx`, whose Ingresses are served too, by `ingress.gateway`. Their status stays that of ingress-nginx: nothing is written to it.',
      ),
    sharedHosts: flag()
      .prefault(false)
      .describe(
        'Ingresses of several namespaces may have one host. Without it, a host belongs to the namespace whose Ingress had it first.',
      ),
    withoutClass: flag()
      .prefault(false)
      .describe('Serves Ingresses that name no class too, as those of the default class, else of the first by name.'),
    hsts: flag()
      .prefault(false)
      .describe(
        'Sends `Strict-Transport-Security` with answers over HTTPS, as ingress-nginx does: browsers then come by HTTPS alone for a year.',
      ),
  })
  .refine(({ enabled, adopt }) => enabled || adopt.length === 0, {
    error: 'enabled to be true, since adopt names classes',
  })
  .refine(({ gateway, adopt }) => gateway !== undefined || adopt.length === 0, {
    error: 'gateway to name a Gateway such as "infra/edge", which serves the Ingresses of the classes of adopt',
  })
  .prefault({})
  .describe('Ingresses that are served: [ingress.md](ingress.md).');
