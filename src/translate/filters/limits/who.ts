import type { Any } from '@bufbuild/protobuf/wkt';
import { limitHeaders } from '../../../contracts/index.ts';
import { anyCertificateMark, rbacMetadata } from '../access/client-certificates.ts';

/**
 * Whose a request is, as filters of access policies have verified it. Headers of ours, which no client can send; each kind has its own, so that a name
 * of one is never taken for one of another.
 */
export const whoHeaders = {
  issuer: `${limitHeaders.rejected}-issuer`,
  subject: `${limitHeaders.rejected}-subject`,
  user: `${limitHeaders.rejected}-user`,
  client: `${limitHeaders.rejected}-client`,
} as const;

const level = 'limits';

/** Marks clients whose certificate their listener has verified: an expression sees any certificate. */
export const certificateFilter = (): Any => anyCertificateMark(level);

const { namespace, key } = rbacMetadata(level);
const isVerified = `'${namespace}' in metadata.filter_metadata && '${key}' in metadata.filter_metadata['${namespace}'] && metadata.filter_metadata['${namespace}']['${key}'] == 'allowed'`;

const has = (header: string): string => `'${header}' in request.headers && request.headers['${header}'] != ''`;
const value = (header: string): string => `request.headers['${header}']`;

const nameOfCertificate = ['uri_san_peer_certificate', 'dns_san_peer_certificate']
  .map((name) => `has(connection.${name}) && connection.${name} != '' ? connection.${name} : `)
  .join('');

/**
 * `jwt ISSUER SUBJECT`, `user NAME`, `key CLIENT` or `certificate NAME`, by the first that there is: a person's name says more than that of the program
 * that the person uses. Empty: no policy has verified anything.
 */
export const whoExpression = [
  `${has(whoHeaders.subject)} ? 'jwt ' + (${has(whoHeaders.issuer)} ? ${value(whoHeaders.issuer)} : '') + ' ' + ${value(whoHeaders.subject)}`,
  `${has(whoHeaders.user)} ? 'user ' + ${value(whoHeaders.user)}`,
  `${has(whoHeaders.client)} ? 'key ' + ${value(whoHeaders.client)}`,
  `${isVerified} ? 'certificate ' + (${nameOfCertificate}connection.subject_peer_certificate)`,
  "''",
].join(' : ');
