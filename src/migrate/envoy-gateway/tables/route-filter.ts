import type { Table, Visit } from '../../kit/table.ts';
import { fieldsOf, listOf, textOf } from '../../kit/values.ts';

/** An HTTPRouteFilter: each member is an HTTPFilter of its own. The draft has them by their kind: `Rewrite`, `Host`, `Response`, `Credential`, `Cookie`. */
export const httpRouteFilter: Table = {
  urlRewrite: {
    in: {
      path: {
        in: {
          type: { aside: 'it is ReplaceRegexMatch' },
          replaceRegexMatch: {
            in: {
              pattern: { to: 'Rewrite.regexRewrite.pattern', as: textOf },
              substitution: { to: 'Rewrite.regexRewrite.substitution', as: textOf },
            },
          },
        },
      },
      hostname: {
        by: (value, visit) => {
          const { type, header, pathRegex } = fieldsOf(value);
          if (type === 'Header') visit.set('Host.hostRewrite.fromHeader', textOf(header));
          else if (type === 'PathRegex') visit.set('Host.hostRewrite.fromPathRegex', fieldsOf(pathRegex));
          else
            visit.note(
              'differs',
              'backends outside see their own host always; Services see the host that was asked for',
            );
        },
        knows: ['type', 'header', 'pathRegex.pattern', 'pathRegex.substitution'],
      },
      appendXForwardedHost: {
        by: (value, visit) => {
          if (value !== true) return;
          if (visit.draft.get('Host.hostRewrite') !== undefined) visit.set('Host.hostRewrite.forwardedHost', true);
          else
            visit.note(
              'decision',
              'X-Forwarded-Host is of the listener here: headers.forwarded.add of a ListenerPolicy',
            );
        },
        knows: [],
      },
    },
  },
  directResponse: {
    in: {
      statusCode: { to: 'Response.directResponse.status' },
      contentType: { to: 'Response.directResponse.contentType' },
      body: {
        by: (value, visit) => {
          const { inline, valueRef } = fieldsOf(value);
          if (inline !== undefined) return visit.set('Response.directResponse.body', textOf(inline));
          const { name } = fieldsOf(valueRef);
          visit.set('Response.directResponse.configMapRef', { name: textOf(name), key: 'response.body' });
          visit.note(
            'decision',
            `label the ConfigMap, since its key is response.body: kubectl label configmap ${textOf(name)} gatewright.dev/credentials=true`,
          );
        },
        knows: ['type', 'inline', 'valueRef.group', 'valueRef.kind', 'valueRef.name'],
      },
      header: { by: answerHeadersOf, knows: ['set', 'add', 'remove'] },
    },
  },
  credentialInjection: {
    in: {
      header: { to: 'Credential.credentialInjection.header' },
      overwrite: { aside: 'the credential always takes the place of what clients send' },
      credential: {
        in: {
          valueRef: {
            by: (value, visit) => {
              const { name, namespace } = fieldsOf(value);
              visit.set('Credential.credentialInjection.secretRef', {
                name: textOf(name),
                ...(namespace !== undefined && { namespace: textOf(namespace) }),
              });
            },
            knows: ['group', 'kind', 'name', 'namespace'],
          },
        },
      },
    },
  },
  matches: { by: cookiesOf, knows: ['[].cookies'] },
};

function answerHeadersOf(value: unknown, visit: Visit): void {
  const { set = [], add = [], remove } = fieldsOf(value);
  if (remove !== undefined) visit.at('remove').note('no-effect', 'the answer has no headers but those that are named');
  visit.set('Response.directResponse.headers', [...listOf(set), ...listOf(add)]);
}

function cookiesOf(value: unknown, visit: Visit): void {
  const all = listOf(value).map((match) => listOf(fieldsOf(match).cookies ?? []));
  const [[first, ...more] = [], ...others] = all;
  if (first === undefined) return;
  if (more.length > 0 || others.length > 0) {
    visit.lose('a rule looks at one cookie: write a rule for each of them');
    return;
  }
  const { name, type = 'Exact', value: text } = fieldsOf(first);
  visit.set('Cookie.cookieMatch', { name: textOf(name), type: textOf(type), value: textOf(text) });
}
