import { isJson, type Json } from './merge.ts';

/*
 * The pod security standard `restricted`, for what a patch writes. What it leaves out stays as it is in the pod, which keeps the standard.
 * Source: https://kubernetes.io/docs/concepts/security/pod-security-standards/
 */

const profiles = ['RuntimeDefault', 'Localhost'];
const seLinuxTypes = ['', 'container_t', 'container_init_t', 'container_kvm_t', 'container_engine_t'];
const volumeTypes = [
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'persistentVolumeClaim',
  'projected',
  'secret',
];
const safeSysctls = [
  'kernel.shm_rmid_forced',
  'net.ipv4.ip_local_port_range',
  'net.ipv4.ip_local_reserved_ports',
  'net.ipv4.ping_group_range',
  'net.ipv4.tcp_fin_timeout',
  'net.ipv4.tcp_keepalive_intvl',
  'net.ipv4.tcp_keepalive_probes',
  'net.ipv4.tcp_keepalive_time',
  'net.ipv4.tcp_rmem',
  'net.ipv4.tcp_syncookies',
  'net.ipv4.tcp_wmem',
];

type Rule = (value: unknown) => string | undefined;

const only =
  (...allowed: readonly unknown[]): Rule =>
  (value) =>
    allowed.includes(value) ? undefined : `must be ${allowed.map((each) => JSON.stringify(each)).join(' or ')}`;

const within =
  (rules: Readonly<Record<string, Rule>>): Rule =>
  (value) => {
    if (!isJson(value)) return 'must be an object';
    for (const [name, rule] of Object.entries(rules)) {
      const fault = name in value ? rule(value[name]) : undefined;
      if (fault !== undefined) return `${name} ${fault}`;
    }
    return undefined;
  };

const never: Rule = () => 'must not be set';

const capabilities: Rule = within({
  add: (value) =>
    Array.isArray(value) && value.every((name) => name === 'NET_BIND_SERVICE')
      ? undefined
      : 'may have NET_BIND_SERVICE only',
  drop: (value) => (Array.isArray(value) && value.includes('ALL') ? undefined : 'must have ALL'),
});

const sysctls: Rule = (value) => {
  const names = Array.isArray(value) ? value.map((each) => (isJson(each) ? each.name : undefined)) : [undefined];
  const unsafe = names.find((name) => !safeSysctls.includes(name as string));
  return names.every((name) => safeSysctls.includes(name as string)) ? undefined : `has ${JSON.stringify(unsafe)}`;
};

const ofBoth: Readonly<Record<string, Rule>> = {
  runAsNonRoot: only(true),
  runAsUser: (value) => (typeof value === 'number' && value > 0 ? undefined : 'must not be root'),
  seccompProfile: within({ type: only(...profiles) }),
  appArmorProfile: within({ type: only(...profiles) }),
  seLinuxOptions: within({ type: only(...seLinuxTypes), user: never, role: never }),
  windowsOptions: within({ hostProcess: only(false) }),
};

const ofContainer: Rule = within({
  ...ofBoth,
  privileged: only(false),
  allowPrivilegeEscalation: only(false),
  procMount: only('Default'),
  capabilities,
});

const ofPod: Rule = within({ ...ofBoth, sysctls });

/** Of `securityContext` of a pod. */
export const podSecurityFault = (context: unknown): string | undefined => ofPod(context);

/** Of a container or an init container. */
export function containerFault(container: Json): string | undefined {
  const context = 'securityContext' in container ? ofContainer(container.securityContext) : undefined;
  if (context !== undefined) return `securityContext.${context}`;
  const ports = Array.isArray(container.ports) ? container.ports : [];
  if (ports.some((port) => isJson(port) && (port.hostPort ?? 0) !== 0))
    return 'ports: hostPort must not be set; hostNetwork of the DataPlane binds ports of nodes';
  if (hasHost(container)) return 'a probe or lifecycle handler must not set host';
  return undefined;
}

/** Of a volume: it must be of one of the kinds that reach nothing of the node. */
export function volumeFault(volume: Json): string | undefined {
  const kind = Object.keys(volume).find((field) => field !== 'name' && !volumeTypes.includes(field));
  return kind === undefined
    ? undefined
    : `${kind} is no volume that pods may have here: take ${volumeTypes.join(', ')}`;
}

const handlers = ['livenessProbe', 'readinessProbe', 'startupProbe', 'lifecycle'];

function hasHost(container: Json): boolean {
  const deep = (value: unknown): boolean =>
    isJson(value) &&
    Object.entries(value).some(
      ([name, each]) =>
        ((name === 'httpGet' || name === 'tcpSocket') && isJson(each) && Boolean(each.host)) || deep(each),
    );
  return handlers.some((name) => deep(container[name]));
}
