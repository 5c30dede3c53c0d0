import * as z from 'zod';
import { chatBody, chatSettingsBody } from '../../addons/chatbot/index.ts';
import { envelope, instantQuestion, metricsSettingsBody, rangeQuestion } from '../../addons/metrics-backend/index.ts';
import * as chatbot from '../layout1/chatbot-schemas.ts';
import * as metrics from '../layout1/metrics-schemas.ts';
import { manifest } from '../managed-resources/record.ts';
import { proposalReport } from '../validate/index.ts';
import type { Operation } from './operation.ts';

const jsonRpc = z.looseObject({ jsonrpc: z.literal('2.0'), method: z.string() });

const tag = 'Metrics backend';
const bodies = [
  'body_malformed',
  'body_too_large',
  'body_too_costly',
  'reading_busy',
  'media_type_unsupported',
] as const;
const settings = ['settings_forbidden', 'settings_unavailable'] as const;
const answers = ['metrics_backend_failed', 'metrics_backend_busy', 'metrics_backend_timeout'] as const;

/** What leans on servers outside. */
export const serviceOperations: readonly Operation[] = [
  {
    method: 'get',
    path: '/v1/metrics/config',
    tag,
    summary: 'Where PromQL queries are answered; credentials masked',
    answer: metrics.metricsConfig,
    errors: settings,
  },
  {
    method: 'put',
    path: '/v1/metrics/config',
    tag,
    summary: 'Sets that, and says whether the backend answers; a masked or absent credential stays as it is',
    body: metricsSettingsBody,
    answer: metrics.changedMetricsConfig,
    errors: [...bodies, ...settings, 'settings_invalid', 'origin_foreign'],
  },
  {
    method: 'get',
    path: '/v1/metrics/queries',
    tag,
    summary: 'Queries that a dashboard can use as they are',
    answer: metrics.readyQueries,
  },
  {
    method: 'post',
    path: '/v1/metrics/query',
    tag,
    summary: 'An instant query, answered in Prometheus’ own words; changes nothing, and the read-only token may ask',
    body: instantQuestion,
    answer: envelope,
    errors: [...bodies, ...settings, ...answers, 'promql_rejected'],
  },
  {
    method: 'post',
    path: '/v1/metrics/query_range',
    tag,
    summary: 'A query over time; as above',
    body: rangeQuestion,
    answer: envelope,
    errors: [...bodies, ...settings, ...answers, 'promql_rejected'],
  },
  {
    method: 'get',
    path: '/v1/chatbot/config',
    tag: 'Chatbot',
    summary: 'Which model answers, or that rules do; the key masked',
    answer: chatbot.chatbotConfig,
    errors: settings,
  },
  {
    method: 'put',
    path: '/v1/chatbot/config',
    tag: 'Chatbot',
    summary: 'Sets the model, and says whether its provider answers; a masked or absent key stays as it is',
    body: chatSettingsBody,
    answer: chatbot.changedChatbotConfig,
    errors: [...bodies, ...settings, 'settings_invalid', 'origin_foreign'],
  },
  {
    method: 'post',
    path: '/v1/chatbot/chat',
    tag: 'Chatbot',
    summary: 'Answers a question about this gateway as it is found out; changes nothing',
    body: chatBody,
    media: 'text/event-stream',
    errors: [...bodies, ...settings, 'chatbot_not_configured', 'chatbot_busy', 'origin_foreign'],
  },
  {
    method: 'post',
    path: '/mcp',
    tag: 'Chatbot',
    summary: 'The chat’s tools by the Model Context Protocol (streamable HTTP, stateless); the read-only token may ask',
    body: jsonRpc,
    answer: z.looseObject({ jsonrpc: z.literal('2.0') }),
    errors: [...bodies, 'origin_foreign'],
  },
  {
    method: 'post',
    path: '/v1/validate',
    tag: 'Managed resources',
    summary: 'What would become of one or more objects in YAML; changes nothing, and the read-only token may ask',
    body: manifest,
    answer: proposalReport,
    errors: [...bodies, 'cluster_forbidden', 'cluster_unavailable', 'directory_unavailable', 'not_ready'],
  },
];
