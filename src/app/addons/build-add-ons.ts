import { aiAddon } from '../../addons/ai/admin/index.ts';
import { chatbotAddon } from '../../addons/chatbot/admin/index.ts';
import { Chatbot } from '../../addons/chatbot/index.ts';
import { mcpAddon } from '../../addons/mcp/admin/index.ts';
import { metricsAddon } from '../../addons/metrics-backend/admin/index.ts';
import { MetricsBackend } from '../../addons/metrics-backend/index.ts';
import { FileSettings, SecretSettings, type SettingsStore } from '../../addons/settings/index.ts';
import { AddressGuard } from '../../outgoing/index.ts';
import { componentLogger } from '../../telemetry/index.ts';
import type { AddOns, AddOnsPlace, Connected } from '../control-plane/index.ts';
import { packageRoot } from '../process/index.ts';
import { buildAi } from './ai.ts';
import { buildTracing } from './tracing.ts';

/** All add-ons that there are. One more is built here, and goes to the admin API from here. */
export function buildAddOns(connected: Connected, place: AddOnsPlace): AddOns {
  const { config, logger, version } = connected.core;
  const log = componentLogger(logger, 'control-plane');
  const guard = new AddressGuard({ allowLoopback: place.allowLoopback });
  const store = buildSettings(place);
  const stopTracing = buildTracing(connected.core, guard);
  const ai = buildAi(connected, { file: place.usageFile, guard });
  return {
    usage: ai.usage,
    usageStoreTrouble: ai.storeTrouble,
    admin: (host) => [
      aiAddon(host, ai.reports),
      metricsAddon(new MetricsBackend({ store, defaults: config.metricsBackend, guard })),
      chatbotAddon(
        new Chatbot({
          store,
          defaults: config.chatbot,
          guard,
          ask: host.ask,
          handbookRoot: packageRoot,
          onError: (error) => log.error({ err: error }, 'a chat failed'),
        }),
      ),
      mcpAddon(host, { version, logger }),
    ],
    start: ai.start,
    async stop() {
      await ai.stop();
      await stopTracing();
    },
  };
}

function buildSettings({ settings }: AddOnsPlace): SettingsStore {
  if ('directory' in settings) return new FileSettings(settings.directory);
  const { client, namespace, secret: name } = settings;
  return new SecretSettings({ client, namespace, name });
}
