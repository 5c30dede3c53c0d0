import { isIP } from 'node:net';
import { type CelFunc, CelScalar, celFunc, celMethod, listType } from '@bufbuild/cel';

const { STRING, BOOL } = CelScalar;

// RFC 1123 and 1035 names and qualified names, as k8s.io/apimachinery/pkg/util/validation has them.
const label = '[a-z0-9](?:[-a-z0-9]*[a-z0-9])?';
const formats: Readonly<Record<string, { readonly pattern: RegExp; readonly maxLength: number }>> = {
  dns1123Label: { pattern: new RegExp(`^${label}$`), maxLength: 63 },
  dns1123Subdomain: { pattern: new RegExp(`^${label}(?:\\.${label})*$`), maxLength: 253 },
  dns1035Label: { pattern: /^[a-z](?:[-a-z0-9]*[a-z0-9])?$/, maxLength: 63 },
  labelValue: { pattern: /^(?:(?:[A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/, maxLength: 63 },
  qualifiedName: {
    pattern: new RegExp(
      `^(?:(?=.{1,253}/)${label}(?:\\.${label})*/)?(?=[^/]{1,63}$)(?:[A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$`,
    ),
    maxLength: 317,
  },
};

/**
 * The functions that Kubernetes adds to CEL and the Gateway API's rules use (k8s.io/apiserver/pkg/cel/library). A format is its name, and
 * what `validate` gives is the list of complaints, which has a value when there are any.
 */
export const kubernetesFunctions: readonly CelFunc[] = [
  celFunc('isIP', [STRING], BOOL, (text) => isIP(text) !== 0 && !text.includes('%')),
  celFunc('isCIDR', [STRING], BOOL, isCidr),
  celFunc('isURL', [STRING], BOOL, (text) => URL.canParse(text)),
  ...Object.keys(formats).map((name) => celFunc(`format.${name}`, [], STRING, () => name)),
  celMethod('validate', STRING, [STRING], listType(STRING), function (text) {
    return complaints(String(this), text);
  }),
  celMethod('hasValue', listType(STRING), [], BOOL, function () {
    return this.size > 0;
  }),
  celMethod('value', listType(STRING), [], listType(STRING), function () {
    return this;
  }),
];

/** As Go's netip.ParsePrefix: an address and as many bits as it has at most, without a zone. */
function isCidr(text: string): boolean {
  const [, address = '', bits = ''] = /^([^/%]+)\/(0|[1-9][0-9]{0,2})$/.exec(text) ?? [];
  const version = isIP(address);
  return version !== 0 && Number(bits) <= (version === 4 ? 32 : 128);
}

function complaints(format: string, text: string): string[] {
  const known = Object.hasOwn(formats, format) ? formats[format] : undefined;
  if (known === undefined) throw new Error(`unknown format ${format}`);
  return known.pattern.test(text) && text.length <= known.maxLength ? [] : [`"${text}" is not a valid ${format}`];
}
