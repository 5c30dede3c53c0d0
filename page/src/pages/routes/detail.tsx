import { apiUrl, type Route, type Traffic } from '../../api/index.ts';
import { useLive } from '../../live/index.ts';
import {
  ConditionList,
  EditLink,
  FailureList,
  Gone,
  Loaded,
  Name,
  Panel,
  type Series,
  Spark,
  Title,
} from '../../parts/index.ts';
import { link } from '../../router/index.ts';
import { decimal, percent } from '../../text/index.ts';
import { RouteAccess } from './access.tsx';
import { RouteLimits } from './limits.tsx';
import { RouteRules } from './rules.tsx';
import { RouteTuning } from './tuning.tsx';
import { routeWords } from './words.ts';

interface RouteName {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** One route: what it does, what its parents say of it, and what passed through it. */
export function RouteDetail({ kind, namespace, name }: RouteName) {
  const words = routeWords();
  const back = { href: link('routes'), text: words.back };
  const route = useLive<Route>(
    apiUrl(`/v1/routes/${kind.toLowerCase()}/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}`),
  );
  if (route.error?.status === 404) return <Gone back={back}>{words.gone}</Gone>;
  const host = route.data?.hostnames[0];
  return (
    <>
      <Title
        at={route.at}
        back={back}
        actions={
          <>
            <EditLink kind={kind} namespace={namespace} name={name} />
            {host !== undefined && <a href={link('why', [], { u: `${host.replace(/^\*/, 'any')}/` })}>{words.test}</a>}
          </>
        }
      >
        {kind} <Name>{`${namespace}/${name}`}</Name>
      </Title>
      <Loaded live={route}>
        {(data) => (
          <>
            <p>
              {data.hostnames.map((each) => (
                <span class="chip" key={each}>
                  <Name>{each}</Name>
                </span>
              ))}
            </p>
            <RouteTraffic kind={kind} namespace={namespace} name={name} />
            <RouteRules route={data} />
            <RouteAccess route={`${kind}/${namespace}/${name}`} />
            <RouteLimits route={`${kind}/${namespace}/${name}`} />
            <RouteTuning route={`${kind}/${namespace}/${name}`} />
            <Parents route={data} />
            <FailureList
              title={words.failures}
              none={words.noFailures}
              filter={{ route: `${kind}/${namespace}/${name}` }}
            />
          </>
        )}
      </Loaded>
    </>
  );
}

function RouteTraffic({ kind, namespace, name }: RouteName) {
  const words = routeWords();
  const traffic = useLive<Traffic>(
    apiUrl('/v1/traffic', { by: 'route', window: '15m', series: true, namespace, name, limit: 50 }),
  );
  return (
    <Panel title={words.traffic} live={traffic}>
      <Loaded live={traffic}>
        {({ items }) => {
          const item = items.find((each) => each.kind === kind);
          if (item === undefined) return <p class="quiet">{words.noTraffic}</p>;
          const { requests, perSecond, errors, errorRatio, series = [] } = item;
          return (
            <p>
              <Spark series={series as unknown as Series} label={words.spark(requests, errors)} />{' '}
              {words.trafficLine(requests, decimal(perSecond), percent(errorRatio ?? 0))}
            </p>
          );
        }}
      </Loaded>
    </Panel>
  );
}

function Parents({ route }: { readonly route: Route }) {
  const words = routeWords();
  return (
    <Panel title={words.conditions}>
      {route.parents.map(({ parentRef, conditions }, at) => (
        <section key={at}>
          <h3>
            {words.parent}{' '}
            <Name>{[parentRef.kind, parentRef.name, parentRef.sectionName].filter(Boolean).join(' ')}</Name>
          </h3>
          <ConditionList conditions={conditions} />
        </section>
      ))}
    </Panel>
  );
}
