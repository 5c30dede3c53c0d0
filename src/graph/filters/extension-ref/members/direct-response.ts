import { credentialsLabel } from '../../../../gateway-api/index.ts';
import type * as ir from '../../../../ir/index.ts';
import type { StoredObjects } from '../../../engine/index.ts';
import { textFault } from '../../../model/index.ts';
import { firstFault } from '../../first-fault.ts';
import { framingHeader, nameFault } from './header-names.ts';
import { invalid, type Member, type MemberSpec, type ResolvedMember } from './member.ts';

type Spec = MemberSpec<'directResponse'>;
type BodyRef = NonNullable<Spec['configMapRef']>;

/** Envoy rejects the whole host for a longer one. */
const largestBodyBytes = 4096;

/** The entry of a ConfigMap that is read if the filter names none. */
const usualEntry = 'body';

const withoutBody: readonly number[] = [204, 205, 304];

export const directResponse: Member<'directResponse'> = {
  httpOnly: true,
  resolve(spec, namespace, store) {
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
    body === undefined ? undefined : sizeFault('the body', body),
    withoutBody.includes(status) && (body || configMapRef)
      ? `an answer with status ${status} has no body: leave it out, or choose another status`
      : undefined,
  ]);

function headerFault(name: string): string | undefined {
  if (name === 'content-type') return 'header content-type: use contentType';
  return nameFault(name) ?? framingHeader(name);
}

function sizeFault(what: string, body: string): string | undefined {
  const bytes = Buffer.byteLength(body);
  return bytes > largestBodyBytes
    ? `${what} has ${bytes} bytes, and may have ${largestBodyBytes}: shorten it, or let a backend answer`
    : undefined;
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
  const fault = body === undefined ? `${where} has no entry ${key}${advice}` : sizeFault(`${key} of ${where}`, body);
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
