import { create, type MessageInitShape } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import { longestUsersPart, passwordHeaders, passwordService } from '../../../contracts/index.ts';
import { ExtAuthzSchema, type HeaderValueSchema, packAny } from '../../../envoy/index.ts';
import * as ir from '../../../ir/index.ts';
import { durationOf } from '../../resource/index.ts';

/**
 * A check waits for its turn, and bcrypt takes a second or more. The agent says at once when too many wait. No retries: with a policy for them Envoy
 * waits for 10 seconds, whatever is written.
 */
const timeoutMs = 60_000;

/** As Envoy's own filter has it where none is written: the URL that was asked for. */
const urlAsked = '%REQ(X-FORWARDED-PROTO)%://%REQ(:AUTHORITY)%%REQ(:PATH):256%';

/**
 * Asks the agent whether the password is right. The question has the users in it, so the agent needs no configuration, and never another one than Envoy. Of the client's request
 * it has Authorization alone. Without an answer the client gets 503.
 */
export const passwordQuestion = ({ htpasswd, realm = urlAsked, userHeader }: ir.BasicAuth): Any =>
  packAny(
    ExtAuthzSchema,
    create(ExtAuthzSchema, {
      services: {
        case: 'httpService',
        value: {
          serverUri: {
            uri: `http://${passwordService}`,
            httpUpstreamType: { case: 'cluster', value: passwordService },
            timeout: durationOf(timeoutMs),
          },
          pathOverride: '/check',
          authorizationRequest: {
            headersToAdd: [
              ...usersIn(htpasswd),
              { key: passwordHeaders.address, value: '%DOWNSTREAM_REMOTE_ADDRESS_WITHOUT_PORT%' },
              { key: passwordHeaders.realm, value: realm },
              ...(userHeader === undefined ? [] : [{ key: passwordHeaders.userHeader, value: userHeader }]),
            ],
          },
          authorizationResponse: userHeader === undefined ? {} : { allowedUpstreamHeaders: named(userHeader) },
        },
      },
      statusOnError: { code: 503 },
    }),
  );

/** In base64: no character of it means anything in Envoy's formats. */
function usersIn(htpasswd: ir.Sensitive): MessageInitShape<typeof HeaderValueSchema>[] {
  const text = Buffer.from(htpasswd.reveal()).toString('base64');
  const parts = text.match(new RegExp(`.{1,${longestUsersPart}}`, 'g')) ?? [];
  return [
    { key: passwordHeaders.list, value: ir.formatDigest(ir.digestOfText(text)) },
    ...parts.map((part, index) => ({ key: `${passwordHeaders.users}-${index + 1}`, value: part })),
  ];
}

const named = (name: string) => ({ patterns: [{ matchPattern: { case: 'exact' as const, value: name } }] });
