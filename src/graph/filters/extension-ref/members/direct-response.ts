import { credentialsLabel } from '../../../../gateway-api/index.ts';
import type * as ir from '../../../../ir/index.ts';
import type { StoredObjects } from '../../../engine/index.ts';
import { textFault } from '../../../model/index.ts';
import { firstFault } from '../../first-fault.ts';
import { framingHeader, nameFault } from './header-names.ts';
import { invalid, type Member, type MemberSpec, type ResolvedMember } from './member.ts';

type Spec = MemberSpec<'directResponse'>;
type BodyRef = NonNullable<Spec['configMapRef']>;

/** Of a body in the filter itself, and of one in a ConfigMap. Proxies keep it for each match of each rule that names the filter. */
const largestBodyBytes = { own: 4096, stored: 65_536 } as const;

/** The entry of a ConfigMap that is read if the filter names none. */
const usualEntry = 'body';

const withoutBody: readonly number[] = [204, 205, 304];

export const directResponse: Member<'directResponse'> = {
  httpOnly: true,
  resolve(spec, { namespace, store }) {
    const fault = specFault(spec);
    if (fault !== undefined) return invalid(`directResponse: ${fault}`);
    if (!spec.configMapRef) return answerWith(spec, spec.body);
    const body = storedBody(spec.configMapRef, namespace, store);
    return typeof body === 'string' ? answerWith(spec, body) : { referenceFault: body };
  },
};

const specFault = ({ status = 200, headers = [], contentType, body, configMapRef }: Spec): string | undefined =>
  firstFault([
    ...headers.map(({ name }) => headerFault(name.toLowerCase())),
    ...headers.map(({ name, value }) => textFault(`the value of header ${name}`, value)),
    textFault('contentType', contentType),
    body === undefined ? undefined : sizeFault('the body', body, 'own'),
    withoutBody.includes(status) && (body || configMapRef)
      ? `an answer with status ${status} has no body: leave it out, or choose another status`
      : undefined,
  ]);

function headerFault(name: string): string | undefined {
  if (name === 'content-type') return 'header content-type: use contentType';
  return nameFault(name) ?? framingHeader(name);
}

function sizeFault(what: string, body: string, place: keyof typeof largestBodyBytes): string | undefined {
  const bytes = Buffer.byteLength(body);
  const most = largestBodyBytes[place];
  const advice = place === 'own' ? 'shorten it, or put it into a ConfigMap' : 'shorten it, or let a backend answer';
  return bytes > most ? `${what} has ${bytes} bytes, and may have ${most}: ${advice}` : undefined;
}

function storedBody({ name, key = usualEntry }: BodyRef, namespace: string, store: StoredObjects) {
  const where = `ConfigMap ${namespace}/${name}`;
  const object = store.find('ConfigMap', `${namespace}/${name}`);
  if (!object) return { reason: 'ConfigMapNotFound', message: `${where} does not exist: create it` };
  const body = Object.hasOwn(object.data ?? {}, key) ? object.data?.[key] : undefined;
  const isRead = key === usualEntry || object.metadata.labels?.[credentialsLabel] === 'true';
  const advice = isRead
    ? ''
    : ` (an entry that is not called ${usualEntry} is read where the label ${credentialsLabel}: "true" is)`;
  const fault =
    body === undefined ? `${where} has no entry ${key}${advice}` : sizeFault(`${key} of ${where}`, body, 'stored');
  return fault === undefined ? (body ?? '') : { reason: 'InvalidConfigMap', message: fault };
}

function answerWith({ status = 200, contentType, headers = [] }: Spec, body: string | undefined): ResolvedMember {
  const named = [...(contentType === undefined ? [] : [{ name: 'content-type', value: contentType }]), ...headers];
  const answer: ir.DirectAnswer = {
    headers: named.map(({ name, value }) => ({ name: name.toLowerCase(), value })),
    ...(body !== undefined && body !== '' && { body }),
  };
  return { parts: { answer: { kind: 'respond', status, answer } } };
}
