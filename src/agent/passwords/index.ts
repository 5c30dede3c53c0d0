/** Passwords that Envoy cannot check. Envoy asks about them over a unix socket. */
export { PasswordServer } from './password-server.ts';
