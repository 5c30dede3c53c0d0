import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { htpasswdLines } from '../htpasswd.ts';

/** What random policies refer to; some of it is not there, or is wrong. */

const shaOf = (password: string): string => `{SHA}${createHash('sha1').update(password).digest('base64')}`;
const sha = { ann: shaOf('secret'), bob: shaOf('other') };
export const referred = fc.record({
  secrets: fc.record(
    {
      'keys-a': fc.constantFrom({ ann: 'key-1', bob: 'key-2' }, { ann: 'key-3' }, { ann: 'key-1', eve: 'key-3' }),
      'keys-b': fc.constantFrom({ carol: 'key-4' }, { ann: 'key-2' }, { carol: '' }),
      'keys-shared': fc.constant({ ann: 'key-5', bob: 'key-5' }),
      'granted/keys': fc.constant({ dan: 'key-2' }),
      'walled/keys': fc.constant({ dan: 'key-2' }),
      users: fc.constantFrom(
        { '.htpasswd': `ann:${sha.ann}\nbob:${sha.bob}\n` },
        { '.htpasswd': `# staff\nann:${sha.ann}\nbob:$apr1$x$y\n` },
        { '.htpasswd': `ann:${htpasswdLines.ann.hash}\nbob:${sha.bob}\n` },
        { '.htpasswd': `ann:${htpasswdLines.carol.hash}\nbob:$5$x$y\n` },
        { '.htpasswd': 'ann:plain\n' },
      ),
      oidc: fc.constant({ 'client-secret': 'secret' }),
      'more-users': fc.constant({ '.htpasswd': `bob:${sha.bob}\n` }),
    },
    { requiredKeys: ['keys-a', 'users', 'granted/keys', 'walled/keys', 'oidc'] },
  ),
  keySets: fc.record(
    {
      staff: fc.constant('staff' as const),
      machines: fc.constant('machines' as const),
      none: fc.constant('none' as const),
    },
    { requiredKeys: ['staff'] },
  ),
});
