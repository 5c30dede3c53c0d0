import { useSignal } from '@preact/signals';
import { ApiError, apiUrl, ask, type ChatbotConfig, type MetricsConfig } from '../../api/index.ts';
import { useLive } from '../../live/index.ts';
import { Badge, Loaded, Message, Panel } from '../../parts/index.ts';
import { texts } from '../../text/index.ts';

const words = texts(
  {
    metrics: 'Metrics backend',
    metricsWhy: 'A server with the API of Prometheus adds history beyond 24 hours.',
    prometheusUrl: 'URL',
    authorization: 'Authorization header',
    chatbot: 'Chatbot',
    chatbotWhy: 'A model with the API of OpenAI answers in place of the built-in rules.',
    apiEndpoint: 'URL',
    model: 'Model',
    apiKey: 'Key',
    secretHint: 'Leave it as it is to keep it; empty: none.',
    save: 'Save and test',
    saved: 'Saved.',
    place: 'Kept in',
    failed: 'Not saved:',
  },
  {
    metrics: 'Metrics-Backend',
    metricsWhy: 'Ein Server mit der API von Prometheus ergänzt den Verlauf über 24 Stunden hinaus.',
    prometheusUrl: 'URL',
    authorization: 'Authorization-Header',
    chatbot: 'Chatbot',
    chatbotWhy: 'Ein Modell mit der API von OpenAI antwortet statt der eingebauten Regeln.',
    apiEndpoint: 'URL',
    model: 'Modell',
    apiKey: 'Schlüssel',
    secretHint: 'Unverändert lassen, um ihn zu behalten; leer: keiner.',
    save: 'Speichern und prüfen',
    saved: 'Gespeichert.',
    place: 'Liegt in',
    failed: 'Nicht gespeichert:',
  },
);

interface Field<Name extends string> {
  readonly name: Name;
  readonly title: string;
  /** It is masked in answers; what is sent back masked stays as it is. */
  readonly isSecret?: boolean;
}

/** Settings of add-ons. They are for those who may write. */
export function AddOnSettings() {
  const text = words();
  return (
    <>
      <SettingsOf<MetricsConfig, 'prometheusUrl' | 'authorization'>
        title={text.metrics}
        why={text.metricsWhy}
        path="/v1/metrics/config"
        fields={[
          { name: 'prometheusUrl', title: text.prometheusUrl },
          { name: 'authorization', title: text.authorization, isSecret: true },
        ]}
      />
      <SettingsOf<ChatbotConfig, 'apiEndpoint' | 'model' | 'apiKey'>
        title={text.chatbot}
        why={text.chatbotWhy}
        path="/v1/chatbot/config"
        fields={[
          { name: 'apiEndpoint', title: text.apiEndpoint },
          { name: 'model', title: text.model },
          { name: 'apiKey', title: text.apiKey, isSecret: true },
        ]}
      />
    </>
  );
}

interface Tested {
  readonly test: { readonly ok: boolean; readonly message: string };
}

function SettingsOf<Config extends Readonly<Record<Name, string>> & { readonly place: string }, Name extends string>({
  title,
  why,
  path,
  fields,
}: {
  readonly title: string;
  readonly why: string;
  readonly path: string;
  readonly fields: readonly Field<Name>[];
}) {
  const text = words();
  const config = useLive<Config>(apiUrl(path), { everyMs: 60_000, on: [] });
  const changed = useSignal<Readonly<Record<string, string>>>({});
  const tested = useSignal<Tested['test'] | undefined>(undefined);
  const error = useSignal('');
  const save = async (known: Config): Promise<void> => {
    error.value = '';
    tested.value = undefined;
    const body = Object.fromEntries(fields.map(({ name }) => [name, changed.value[name] ?? known[name]]));
    try {
      const answer = (await (await ask(apiUrl(path), { method: 'PUT', body })).json()) as Tested;
      tested.value = answer.test;
      changed.value = {};
      config.refresh();
    } catch (failure) {
      if (!(failure instanceof ApiError)) throw failure;
      error.value = [failure.message, ...failure.details.map((detail) => `${detail.path}: ${detail.message}`)].join(
        ' ',
      );
    }
  };
  return (
    <Panel title={title} live={config}>
      <p class="quiet">{why}</p>
      <Loaded live={config}>
        {(known) => (
          <form
            class="choices"
            onSubmit={(event) => {
              event.preventDefault();
              void save(known);
            }}
          >
            {fields.map(({ name, title: label, isSecret }) => (
              <FieldInput
                key={name}
                title={label}
                name={name}
                isSecret={isSecret ?? false}
                value={changed.value[name] ?? known[name]}
                onInput={(value) => {
                  changed.value = { ...changed.value, [name]: value };
                }}
              />
            ))}
            <button type="submit">{text.save}</button>
            <p class="quiet">
              {text.place} <code>{known.place}</code>
            </p>
          </form>
        )}
      </Loaded>
      {tested.value && (
        <p role="status" class="tested" data-ok={tested.value.ok}>
          {text.saved}{' '}
          <Badge state={tested.value.ok ? 'ok' : 'warning'}>
            <Message>{tested.value.message}</Message>
          </Badge>
        </p>
      )}
      {error.value !== '' && (
        <p class="notice failing" role="alert">
          {text.failed} <Message>{error.value}</Message>
        </p>
      )}
    </Panel>
  );
}

interface FieldInputProps {
  readonly title: string;
  readonly name: string;
  readonly isSecret: boolean;
  readonly value: string;
  readonly onInput: (value: string) => void;
}

function FieldInput({ title, name, isSecret, value, onInput }: FieldInputProps) {
  const shared = { name, value, autocomplete: 'off' } as const;
  const take = (event: { readonly currentTarget: HTMLInputElement }): void => onInput(event.currentTarget.value);
  return isSecret ? (
    <label>
      {title} <input type="password" title={words().secretHint} {...shared} onInput={take} />
    </label>
  ) : (
    <label>
      {title} <input type="text" {...shared} onInput={take} />
    </label>
  );
}
