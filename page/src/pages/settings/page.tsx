import { forgetToken, token } from '../../api/index.ts';
import { hasKeys, switchKeys } from '../../app/single-keys.ts';
import { chooseTheme, type Theme, theme } from '../../app/theme.ts';
import { Panel } from '../../parts/index.ts';
import { capabilities, mayChange } from '../../session/index.ts';
import { chooseLanguage, type Language, language, languages, texts } from '../../text/index.ts';
import { AddOnSettings } from './add-ons.tsx';

const words = texts(
  {
    title: 'Settings',
    look: 'This page',
    language: 'Language',
    colours: 'Colours',
    auto: 'as the system has them',
    light: 'light',
    dark: 'dark',
    keys: 'Use single keys, such as / and g',
    kept: 'The browser keeps these settings. Nothing else is stored, and the token ends with the tab.',
    signOut: 'Forget the token',
  },
  {
    title: 'Einstellungen',
    look: 'Diese Seite',
    language: 'Sprache',
    colours: 'Farben',
    auto: 'wie im System',
    light: 'hell',
    dark: 'dunkel',
    keys: 'Einzelne Tasten verwenden, zum Beispiel / und g',
    kept: 'Der Browser behält diese Einstellungen. Sonst wird nichts gespeichert, und das Token endet mit dem Tab.',
    signOut: 'Token vergessen',
  },
);

const names: Readonly<Record<Language, string>> = { en: 'English', de: 'Deutsch' };
const themes: readonly Theme[] = ['auto', 'light', 'dark'];

/** What a user may choose for this page. */
export function Page() {
  const text = words();
  return (
    <>
      <h1>{text.title}</h1>
      <Panel title={text.look}>
        <div class="choices">
          <label>
            {text.language}{' '}
            <select value={language.value} onChange={(event) => chooseLanguage(event.currentTarget.value as Language)}>
              {languages.map((each) => (
                <option key={each} value={each} lang={each}>
                  {names[each]}
                </option>
              ))}
            </select>
          </label>
          <label>
            {text.colours}{' '}
            <select value={theme.value} onChange={(event) => chooseTheme(event.currentTarget.value as Theme)}>
              {themes.map((each) => (
                <option key={each} value={each}>
                  {text[each]}
                </option>
              ))}
            </select>
          </label>
          <label>
            <input
              type="checkbox"
              checked={hasKeys.value}
              onChange={(event) => switchKeys(event.currentTarget.checked)}
            />{' '}
            {text.keys}
          </label>
          {token.value !== '' && (
            <button type="button" onClick={forgetToken}>
              {text.signOut}
            </button>
          )}
        </div>
        <p class="quiet">{text.kept}</p>
      </Panel>
      {mayChange.value && capabilities.value?.settings && <AddOnSettings />}
    </>
  );
}
