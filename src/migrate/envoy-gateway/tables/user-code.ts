import type { Rule, Visit } from '../../kit/table.ts';
import { type Fields, fieldsOf, isFields, textAt, textOf } from '../../kit/values.ts';

/** Scripts and modules of an EnvoyExtensionPolicy, which the proxy runs. Each is an ExtensionPolicy of its own. */

/** Of Envoy's interface for Lua, what scripts do not have here. Source: docs/extensions.md. */
const missing = [
  ...['clearRouteCache', 'connection', 'connectionStreamInfo', 'filterContext', 'filterState', 'httpCall'],
  ...['importPublicKey', 'metadata', 'route', 'setUpstreamOverrideHost', 'verifySignature', 'virtualHost'],
];

export const luaRule: Rule = {
  by: (value, visit) =>
    visit.each(value, (script, at) => {
      const { type = 'Inline', inline, valueRef } = script;
      if (type === 'Inline') {
        const text = textOf(inline);
        const used = missing.filter((name) => new RegExp(`[:.]\\s*${name}\\s*\\(`).test(text));
        if (used.length > 0) {
          at.at('inline').lose(`scripts have no ${used.join(', ')} here`);
          return;
        }
        add(visit, { onFailure: 'Reject', lua: { inline: text } });
      } else {
        const { name, kind } = fieldsOf(valueRef);
        if (kind !== 'ConfigMap') {
          at.at('valueRef').lose('scripts are in ConfigMaps');
          return;
        }
        add(visit, { onFailure: 'Reject', lua: { configMapRef: { name: textOf(name), key: 'lua' } } });
        at.at('valueRef').note(
          'decision',
          `requests get 503 until the ConfigMap has a label: kubectl label configmap ${textOf(name)} gatewright.dev/credentials=true`,
        );
      }
      at.note('decision', 'requests get 503 until the configuration of the control plane has extensions.lua: true');
    }),
  knows: ['type', 'inline', 'valueRef'].map((name) => `[].${name}`),
  loses: ['[].filterContext'],
};

export const wasmRule: Rule = {
  by: (value, visit) =>
    visit.each(value, (module, at) => {
      const { code, config, failOpen, rootID } = module;
      const image = imageOf(fieldsOf(code), at.at('code'));
      if (image === undefined) return;
      if (config !== undefined && !isFields(config)) at.at('config').lose('the configuration of a module is an object');
      add(visit, {
        onFailure: failOpen === true ? 'Allow' : 'Reject',
        wasm: { image, ...(rootID !== undefined && { rootId: textOf(rootID) }), ...(isFields(config) && { config }) },
      });
      at.note('decision', 'requests get 503 until the configuration of the control plane has extensions.wasm: true');
    }),
  knows: ['name', 'code', 'config', 'failOpen', 'rootID'].map((name) => `[].${name}`),
  loses: ['[].env.hostKeys'],
};

const add = (visit: Visit, spec: Fields): void => visit.draft.push('Extensions.list', spec);

/** The image of a module, if it is named by its digest: `sha256` of Envoy Gateway is that of the module. */
function imageOf({ type, image }: Fields, visit: Visit): Fields | undefined {
  if (type !== 'Image') {
    visit.lose('modules are pulled from registries, or are in ConfigMaps: write wasm of an ExtensionPolicy');
    return undefined;
  }
  const { url, pullSecretRef, tls } = fieldsOf(image);
  const reference = textOf(url).replace(/^oci:\/\//, '');
  if (!/@sha256:[0-9a-f]{64}$/.test(reference)) {
    visit
      .at('image.url')
      .lose('images are named by their digest: write wasm.image.reference of an ExtensionPolicy, with @sha256:DIGEST');
    return undefined;
  }
  const authority = tls === undefined ? undefined : fieldsOf(fieldsOf(tls).caCertificateRef);
  if (authority !== undefined && (authority.kind !== 'ConfigMap' || textAt(authority, 'namespace') !== undefined))
    visit.at('image.tls.caCertificateRef').lose('authorities of a registry are in a ConfigMap of the same namespace');
  const secret = pullSecretRef === undefined ? undefined : textOf(fieldsOf(pullSecretRef).name);
  if (secret !== undefined)
    visit
      .at('image.pullSecretRef')
      .note(
        'decision',
        `requests get 503 until Secret ${secret} has username and password, and the label gatewright.dev/credentials=true`,
      );
  return {
    reference,
    ...(secret !== undefined && { secretRef: { name: secret } }),
    ...(authority !== undefined && { caCertificateRef: { name: textOf(authority.name) } }),
  };
}
