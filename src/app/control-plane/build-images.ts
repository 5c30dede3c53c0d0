import { imageKey, type ModuleImage } from '../../contracts/index.ts';
import { imageFault, imageOf, notPulled, pulledModuleCode } from '../../controllers/index.ts';
import { AddressRules } from '../../egress/index.ts';
import { credentialsLabel, keyOf, type ObjectByKind, objectKey } from '../../gateway-api/index.ts';
import { ImageCache, ImagePuller, type PullClient, PullFault, pullModule } from '../../images/index.ts';
import { AddressGuard } from '../../outgoing/index.ts';
import type { ResourceEvent } from '../../sources/index.ts';
import { componentLogger } from '../../telemetry/index.ts';
import type { Core } from './core.ts';
import type { KeysPlace } from './edges.ts';
import { type ModulesWatch, maxModuleBytes, noModules } from './modules-watch.ts';
import { ownAddresses } from './own-addresses.ts';

/** So many modules of the greatest length may the policies of one namespace have. */
const mostOfNamespace = 4;

/** Where modules are fetched, and kept. */
export interface ModulesPlace {
  /** For the addresses of the control plane itself, where nothing is pulled. Without it nothing is at all. */
  readonly keys: KeysPlace | undefined;
  /** A directory for what was pulled; undefined: each start pulls all of it. */
  readonly cache: string | undefined;
}

/** Pulls images. */
export function buildImages(core: Core, { keys: place, cache: directory }: ModulesPlace): ModulesWatch {
  const { graph, config, clock, trigger, logger } = core;
  if (!place || !config.extensions.wasm) return noModules;
  const maxBytes = maxModuleBytes(config);
  const own = () => ownAddresses(core, 'file' in place ? [] : place.ownHosts);
  const guard = new AddressGuard({
    allowLoopback: false,
    rules: new AddressRules({ allowed: config.backends.allowedAddresses, own }),
  });
  const log = componentLogger(logger, 'images');
  const onFailed = (error: unknown) => log.warn({ err: error }, 'the cache of images cannot be used');
  const cache = directory === undefined ? undefined : new ImageCache({ directory, onFailed });
  const puller = new ImagePuller({
    clock,
    maxNamespaceBytes: mostOfNamespace * maxBytes,
    pull: async (image, signal) => {
      const kept = cache?.of(imageKey(image));
      const rules = { guard, hosts: graph.hosts, maxBytes, signal, kept };
      const bytes = await pullModule(image, { ...clientOf(core, image), ...rules });
      const code = await pulledModuleCode(bytes);
      if (typeof code === 'string') throw new PullFault(`it ${code}`);
      return { module: code, bytes: bytes.length };
    },
    onResult(key, { reference }, result) {
      if (result instanceof PullFault) log.warn({ image: reference }, `an image cannot be used: ${result.message}`);
      graph.setCode(key, result instanceof PullFault ? notPulled(reference, result.message) : result);
      trigger.fireIfDirty();
      // Nothing is kept of what is too much for its namespace, either.
      if (result === undefined || result instanceof PullFault) void cache?.drop(key);
    },
  });
  return {
    observe: (event) => observe(puller, event, core),
    async settled() {
      await puller.settled();
      // What policies named that went while no control plane ran.
      await cache?.keepOnly(puller.keys());
    },
    stop: () => puller.stop(),
  };
}

function observe(puller: ImagePuller, { type, kind, object }: ResourceEvent, { graph }: Core): void {
  const { namespace, name } = object.metadata;
  if (kind.name === 'ExtensionPolicy') {
    const image = type === 'deleted' ? undefined : imageOf(object as ObjectByKind['ExtensionPolicy']);
    puller.want(keyOf(object), image && !imageFault(image, graph.hosts) ? image : undefined);
  }
  if (kind.name === 'Secret') puller.retry((image) => image.namespace === namespace && image.secret === name);
  if (kind.name === 'ConfigMap') puller.retry((image) => image.namespace === namespace && image.authority === name);
}

/** What an image is pulled with. Throws PullFault for what is not there. */
function clientOf({ graph }: Core, image: ModuleImage): Pick<PullClient, 'tls' | 'credentials'> {
  const { namespace, secret, authority } = image;
  const caCertificate = authority && graph.find('ConfigMap', objectKey(namespace, authority))?.data?.['ca.crt'];
  if (authority && !caCertificate)
    throw new PullFault(`ConfigMap ${namespace}/${authority} does not exist, or has no ca.crt`);
  return {
    tls: caCertificate ? { caCertificate } : {},
    ...(secret && { credentials: credentialsIn(graph.find('Secret', objectKey(namespace, secret)), image) }),
  };
}

function credentialsIn(
  secret: ObjectByKind['Secret'] | undefined,
  { namespace, secret: name }: Pick<ModuleImage, 'namespace' | 'secret'>,
): string {
  const where = `Secret ${namespace}/${name}`;
  if (!secret) throw new PullFault(`${where} does not exist: create it`);
  if (secret.metadata.labels?.[credentialsLabel] !== 'true')
    throw new PullFault(`${where} lacks the label ${credentialsLabel}: "true", without which it is not read`);
  const [username, password] = ['username', 'password'].map((entry) => secret.data?.[entry]);
  if (!username || !password) throw new PullFault(`${where} has not both username and password`);
  const [user, word] = [username, password].map((text) => Buffer.from(text, 'base64').toString());
  return `${user}:${word}`;
}
