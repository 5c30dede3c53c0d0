import { aiEndpoints } from '../../addons/ai/admin/index.ts';
import { chatbotEndpoints } from '../../addons/chatbot/admin/index.ts';
import { mcpEndpoints } from '../../addons/mcp/admin/index.ts';
import { metricsEndpoints } from '../../addons/metrics-backend/admin/index.ts';
import { describedOperations } from '../../admin/index.ts';

/** Everything that the admin API of the program describes, its add-ons included. */
export const operations = describedOperations([
  ...aiEndpoints,
  ...metricsEndpoints,
  ...chatbotEndpoints,
  ...mcpEndpoints,
]);
