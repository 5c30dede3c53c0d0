import { create } from '@bufbuild/protobuf';
import { PreviousPrioritiesConfigSchema, packAny } from '../../envoy/index.ts';
import { type InnerListener, innerListener } from '../inner/index.ts';
import { durationOf, type EnvoyResource, poolStepsName } from '../resource/index.ts';
import { pickFailed, withoutPicks } from './pick-headers.ts';

interface FrontListener {
  readonly name: string;
  /** Key of the pool's ir.Backend. */
  readonly key: string;
  /** One less than there are steps. */
  readonly retries: number;
  readonly accessLog: NonNullable<InnerListener['accessLog']>;
}

/** A listener that goes on to the next step when a picker failed before a model server was asked, as long as the body fits its buffer. */
export const frontListener = ({ name, key, retries, accessLog }: FrontListener): EnvoyResource =>
  innerListener({
    name,
    stats: `${key}/front`,
    early: [withoutPicks],
    accessLog,
    filters: [],
    routes: [
      {
        match: { pathSpecifier: { case: 'prefix', value: '/' } },
        action: {
          case: 'route',
          value: {
            clusterSpecifier: { case: 'cluster', value: poolStepsName(key) },
            timeout: durationOf(0),
            retryPolicy: {
              retryOn: 'retriable-headers',
              numRetries: retries,
              retriableHeaders: [
                {
                  name: pickFailed.header,
                  headerMatchSpecifier: {
                    case: 'stringMatch',
                    value: { matchPattern: { case: 'exact', value: pickFailed.value } },
                  },
                },
              ],
              retryBackOff: { baseInterval: durationOf(1), maxInterval: durationOf(1) },
              retryPriority: {
                name: 'envoy.retry_priorities.previous_priorities',
                configType: { case: 'typedConfig', value: packAny(PreviousPrioritiesConfigSchema, eachPriorityOnce) },
              },
            },
          },
        },
      },
    ],
  });

const eachPriorityOnce = create(PreviousPrioritiesConfigSchema, { updateFrequency: 1 });
