/** What Envoy asks about each request to the gateway, by one method of gRPC. Knows neither limits nor what is asked. */
export { QuestionSocket } from './question-socket.ts';
