import { type ObjectKey, objectKey } from '../../gateway-api/index.ts';
import type { Finding } from '../finding.ts';
import { portNumber } from '../world/port-number.ts';
import type { Site } from './site.ts';

/** A port of the controller whose connections or datagrams go to a Service as they are. */
export interface StreamService {
  readonly protocol: 'TCP' | 'UDP';
  readonly port: number;
  readonly namespace: string;
  readonly name: string;
  readonly backendPort: number;
  /** Connections begin with a PROXY protocol header. */
  readonly readsProxy: boolean;
}

export interface StreamServices {
  readonly services: readonly StreamService[];
  readonly findings: readonly Finding[];
}

const sources = [
  ['TCP', 'tcp-services-configmap'],
  ['UDP', 'udp-services-configmap'],
] as const;

/** What the ConfigMaps of `--tcp-services-configmap` and `--udp-services-configmap` say, by port. */
export function streamServices(site: Site): StreamServices {
  const all = sources.map(([protocol, flag]) => ofFlag(site, protocol, flag));
  return { services: all.flatMap(({ services }) => services), findings: all.flatMap(({ findings }) => findings) };
}

function ofFlag(site: Site, protocol: StreamService['protocol'], flag: string): StreamServices {
  const { controller, configMaps } = site.world;
  const name = controller.flags.get(flag);
  if (name === undefined) return { services: [], findings: [] };
  const data = configMaps.get(name as ObjectKey)?.data;
  if (data === undefined) return { services: [], findings: [lost(`--${flag}`, `ConfigMap ${name} could not be read`)] };
  const read = Object.entries(data)
    .sort(([a], [b]) => Number(a) - Number(b))
    .map(([port, value]) => serviceOf(site, protocol, port, value));
  return {
    services: read.flatMap((each) => ('service' in each ? [each.service] : [])),
    findings: read.map((each) => ('service' in each ? kept(each.service) : each.finding)),
  };
}

const form =
  /^(?<namespace>[a-z0-9][-a-z0-9]*)\/(?<name>[a-z0-9][-a-z0-9.]*):(?<written>[a-z0-9][-a-z0-9]*)(?::(?<incoming>PROXY)?)?(?::(?<outgoing>PROXY)?)?$/i;

function serviceOf(
  site: Site,
  protocol: StreamService['protocol'],
  portText: string,
  value: string,
): { readonly service: StreamService } | { readonly finding: Finding } {
  const about = `${protocol} port ${portText}`;
  const { namespace = '', name = '', written = '', incoming, outgoing } = form.exec(value.trim())?.groups ?? {};
  const port = Number(portText);
  if (name === '' || !Number.isInteger(port) || port < 1 || port > 65_535)
    return { finding: { verdict: 'no-effect', about, text: `${value.slice(0, 100)}: the controller cannot read it` } };
  if (outgoing !== undefined)
    return {
      finding: lost(
        about,
        `${namespace}/${name} wants a PROXY protocol header: write a BackendPolicy with proxyProtocol, which holds for all uses of the Service`,
      ),
    };
  const backendPort = portNumber(site.world, objectKey(namespace, name), written);
  if (backendPort === undefined)
    return {
      finding: lost(about, `the number of port ${written} of Service ${namespace}/${name} could not be found out`),
    };
  return { service: { protocol, port, namespace, name, backendPort, readsProxy: incoming !== undefined } };
}

const lost = (about: string, text: string): Finding => ({ verdict: 'decision', about, text });

const kept = ({ protocol, port, namespace, name }: StreamService): Finding => ({
  verdict: protocol === 'TCP' ? 'differs' : 'same',
  about: `${protocol} port ${port}`,
  text:
    protocol === 'TCP'
      ? `a TCPRoute to Service ${namespace}/${name}; silent connections end after 1 h, in nginx after 600 s`
      : `a UDPRoute to Service ${namespace}/${name}`,
});
