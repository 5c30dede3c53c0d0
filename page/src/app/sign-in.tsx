import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { asksToken, giveToken } from '../api/index.ts';
import { texts } from '../text/index.ts';

const words = texts(
  {
    title: 'Token needed',
    missing: 'The admin API of this control plane asks for a bearer token.',
    wrong: 'The token was rejected. Give another one.',
    where: 'In a cluster, this command prints it:',
    label: 'Token',
    kept: 'The page keeps it until this tab closes.',
    submit: 'Sign in',
  },
  {
    title: 'Token nötig',
    missing: 'Die Admin-API dieser Control Plane verlangt ein Bearer-Token.',
    wrong: 'Das Token wurde abgelehnt. Geben Sie ein anderes ein.',
    where: 'In einem Cluster gibt es dieser Befehl aus:',
    label: 'Token',
    kept: 'Die Seite behält es, bis dieser Tab geschlossen wird.',
    submit: 'Anmelden',
  },
);

/** Asks for the token. It goes into a header, never into an address. */
export function SignIn() {
  const dialog = useRef<HTMLDialogElement>(null);
  const given = useSignal('');
  useEffect(() => dialog.current?.showModal(), []);
  const { title, missing, wrong, where, label, kept, submit } = words();
  return (
    <dialog ref={dialog} class="sign-in" aria-label={title} onCancel={(event) => event.preventDefault()}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          giveToken(given.value);
        }}
      >
        <h2>{title}</h2>
        <p role="alert">{asksToken.value === 'wrong' ? wrong : missing}</p>
        <p>
          {where}{' '}
          <code>
            kubectl -n gatewright-system get secret gatewright-admin-token -o jsonpath='{'{.data.token}'}' | base64 -d
          </code>
        </p>
        <label>
          {label}
          <input
            type="password"
            autocomplete="off"
            value={given.value}
            onInput={(event) => {
              given.value = event.currentTarget.value;
            }}
          />
        </label>
        <p class="quiet">{kept}</p>
        <button type="submit" disabled={given.value.trim() === ''}>
          {submit}
        </button>
      </form>
    </dialog>
  );
}
