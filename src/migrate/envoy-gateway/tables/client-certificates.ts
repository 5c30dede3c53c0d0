import type { Table, Visit } from '../../kit/table.ts';
import { type Fields, fieldsOf, listOf, textOf, textsOf } from '../../kit/values.ts';

/**
 * `tls.clientValidation`. Which authorities sign is of the Gateway here (`Frontend` of the draft), and which names may come in is of an
 * AccessPolicy.
 */
export const clientValidation: Table = {
  caCertificateRefs: {
    by: (value, visit) => {
      const refs = listOf(value).map(fieldsOf);
      visit.set(
        'Frontend.caCertificateRefs',
        refs.map(({ name, namespace, kind = 'Secret' }) => ({
          group: kind === 'ClusterTrustBundle' ? 'certificates.k8s.io' : '',
          kind: kind === 'ClusterTrustBundle' ? kind : 'ConfigMap',
          name: textOf(name),
          ...(namespace !== undefined && { namespace: textOf(namespace) }),
        })),
      );
      for (const { kind = 'Secret', name } of refs)
        if (kind === 'Secret')
          visit.note(
            'decision',
            `no client comes in until there is a ConfigMap ${textOf(name)} with ca.crt of the Secret of that name`,
          );
    },
    knows: ['[].group', '[].kind', '[].name', '[].namespace'],
  },
  optional: {
    by: (value, visit) => {
      if (value === true) insecure(visit);
    },
    knows: [],
  },
  mode: {
    by: (value, visit) => {
      if (value === 'Request' || value === 'VerifyIfGiven') insecure(visit);
      else if (value === 'RequireAny') visit.lose('certificates of unknown authorities count as none');
    },
    knows: [],
  },
  allowExpiredCertificate: {
    by: (value, visit) => {
      if (value === true) visit.miss('certificates that have ended do not come in');
    },
    knows: [],
  },
  certificateHashes: {
    to: 'ListenerPolicy.tls.clientPins.certificateHashes',
    as: (value) => textsOf(value).map((hash) => hash.replaceAll(':', '').toLowerCase()),
  },
  spkiHashes: { to: 'ListenerPolicy.tls.clientPins.publicKeyHashes', as: textsOf },
  crl: {
    by: (value, visit) => {
      const { refs, onlyVerifyLeafCertificate } = fieldsOf(value);
      const [first, ...others] = listOf(refs).map(fieldsOf);
      if (first === undefined) return;
      if (others.length > 0)
        visit.at('refs').lose('lists of revoked certificates are in one object: put them together');
      if (first.namespace !== undefined) visit.at('refs').lose('the list is in the policy’s own namespace');
      visit.set('ListenerPolicy.tls.crlRef', { kind: first.kind ?? 'Secret', name: textOf(first.name) });
      if (onlyVerifyLeafCertificate === true) visit.set('ListenerPolicy.tls.crlCheck', 'Leaf');
    },
    knows: ['refs[].group', 'refs[].kind', 'refs[].name', 'refs[].namespace', 'onlyVerifyLeafCertificate'],
  },
  subjectAltNames: {
    in: {
      dnsNames: { by: namesOf('dns'), knows: ['[].type', '[].value'] },
      uris: { by: namesOf('uri'), knows: ['[].type', '[].value'] },
      emailAddresses: { by: namesOf('email'), knows: ['[].type', '[].value'] },
      ipAddresses: { by: namesOf('ip'), knows: ['[].type', '[].value'] },
      otherNames: { cannot: 'names of certificates are DNS names, URIs, email and IP addresses, and subjects' },
    },
  },
};

function insecure(visit: Visit): void {
  visit.set('Frontend.mode', 'AllowInsecureFallback');
  visit.note('differs', 'a certificate that is not valid counts as none, and does not end the handshake');
}

type Word = 'dns' | 'uri' | 'email' | 'ip';

const shapes: Readonly<Record<Word, string>> = {
  dns: 'a dns name is a whole one, or has *. in front',
  uri: 'a uri name is a whole one, or has /* at its end',
  email: 'an email address is a whole one',
  ip: 'an IP address is a whole one',
};

function namesOf(word: Word) {
  return (value: unknown, visit: Visit) =>
    visit.each(value, (item, at) => {
      const name = nameOf(word, item);
      if (name === undefined) at.lose(shapes[word]);
      else visit.draft.push('AccessPolicy.clientCertificates.names', { [word]: name });
    });
}

function nameOf(word: Word, { type = 'Exact', value }: Fields): string | undefined {
  const text = textOf(value);
  if (type === 'Exact') return text;
  if (type === 'Suffix' && word === 'dns' && text.startsWith('.')) return `*${text}`;
  if (type === 'Prefix' && word === 'uri' && text.endsWith('/')) return `${text}*`;
  return undefined;
}
