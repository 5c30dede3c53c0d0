import { keyOf, objectKey } from '../../gateway-api/index.ts';
import { HttpError, oneOf } from '../http/index.ts';
import { resource } from '../resource/resource.ts';
import type { AdminSources } from '../sources.ts';
import { classOf, hostsOf, ingressRecord, ingressState } from './ingress-record.ts';
import { ingress, ingressStates } from './record.ts';

/** `/v1/ingresses` and one of them: all that are read, which is none unless Ingresses are served. */
export const ingresses = resource({
  path: '/v1/ingresses',
  summary: 'Ingresses, and what became of them',
  record: ingress,
  list: {
    entries: ({ graph }: AdminSources) => graph.list('Ingress'),
    filters: {
      namespace: (value) => (object) => object.metadata.namespace === value,
      name: (value) => (object) => object.metadata.name === value,
      class: (value) => (object) => classOf(object) === value,
      host: (value) => (object) => hostsOf(object).includes(value),
      gateway:
        (value, { ingresses: served }) =>
        (object) =>
          served.find(keyOf(object))?.gateway === value,
      state: (value, sources) => {
        const wanted = oneOf('state', value, ingressStates);
        return (object) => ingressState(object, sources) === wanted;
      },
    },
    sorts: {
      namespace: (object) => keyOf(object).replace('/', '\u0000'),
      name: ({ metadata }) => metadata.name,
      state: { lookUp: (sources) => (object) => rankOf(ingressState(object, sources)) },
    },
  },
  one: {
    at: '/:namespace/:name',
    summary: 'One Ingress',
    errors: ['ingress_not_found'],
    find({ namespace, name }, { graph }) {
      const key = objectKey(namespace, name);
      const found = graph.find('Ingress', key);
      if (found === undefined)
        throw new HttpError('ingress_not_found', `there is no Ingress ${key}, or Ingresses are not served`);
      return found;
    },
  },
  present: (sources) => (object) => ingressRecord(object, sources),
});

/** The worst first; those of others last. */
const rankOf = (state: (typeof ingressStates)[number]): number =>
  ['failed', 'degraded', 'served', 'foreign'].indexOf(state);
