import type { Table, Visit } from '../../kit/table.ts';
import { type Fields, fieldsOf, listOf, textOf } from '../../kit/values.ts';

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
    cannot: 'certificates of clients are known by their names: clientCertificates of an AccessPolicy',
  },
  spkiHashes: { cannot: 'certificates of clients are known by their names: clientCertificates of an AccessPolicy' },
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
      emailAddresses: { cannot: 'names of certificates are DNS names, URIs and subjects' },
      ipAddresses: { cannot: 'names of certificates are DNS names, URIs and subjects' },
      otherNames: { cannot: 'names of certificates are DNS names, URIs and subjects' },
    },
  },
};

function insecure(visit: Visit): void {
  visit.set('Frontend.mode', 'AllowInsecureFallback');
  visit.note('differs', 'a certificate that is not valid counts as none, and does not end the handshake');
}

function namesOf(word: 'dns' | 'uri') {
  return (value: unknown, visit: Visit) =>
    visit.each(value, (item, at) => {
      const name = nameOf(word, item);
      if (name === undefined)
        at.lose(`a ${word} name is a whole one, or has ${word === 'dns' ? '*. in front' : '/* at its end'}`);
      else visit.draft.push('AccessPolicy.clientCertificates.names', { [word]: name });
    });
}

function nameOf(word: 'dns' | 'uri', { type = 'Exact', value }: Fields): string | undefined {
  const text = textOf(value);
  if (type === 'Exact') return text;
  if (type === 'Suffix' && word === 'dns' && text.startsWith('.')) return `*${text}`;
  if (type === 'Prefix' && word === 'uri' && text.endsWith('/')) return `${text}*`;
  return undefined;
}
