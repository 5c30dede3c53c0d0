import {
  aiEndpoints,
  chatbotEndpoints,
  describedOperations,
  mcpEndpoints,
  metricsEndpoints,
} from '../../admin/index.ts';

/** Everything that the admin API of the program describes, its add-ons included. */
export const operations = describedOperations([
  ...aiEndpoints,
  ...metricsEndpoints,
  ...chatbotEndpoints,
  ...mcpEndpoints,
]);
