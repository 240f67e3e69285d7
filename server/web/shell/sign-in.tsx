/**
 * @module
 * Sign-in with a token or a join code. The server sets a cookie that no script can read.
 */

import { signal, useSignal } from '@preact/signals';

import { answerOf, api, ProblemError } from '../api/client.ts';
import { ErrorNotice } from '../parts/notice.tsx';
import { go, hrefOf } from './router.ts';

/** Why the caller must sign in; null if it need not. */
export const signInReason = signal<string | null>(null);

/** Asks the caller to sign in if the server refused a request for that reason. Returns whether it did. */
export function asksForSignIn(error: unknown): boolean {
  const mustSignIn = error instanceof ProblemError && error.problem.code === 'auth.credential';
  if (mustSignIn) signInReason.value = error.problem.detail;
  return mustSignIn;
}

const SIGNED_IN = 'usurp/signed-in';

/** Whether this browser was given a cookie, which no script can read. */
const isSignedIn = signal(localStorage.getItem(SIGNED_IN) !== null);

function noteSignedIn(is: boolean): void {
  isSignedIn.value = is;
  if (is) localStorage.setItem(SIGNED_IN, 'yes');
  else localStorage.removeItem(SIGNED_IN);
}

/** Removes what this tab keeps of a session, also in memory, and shows the start page. */
function forgetSession(): void {
  sessionStorage.clear();
  history.replaceState(null, '', hrefOf([]));
  location.reload();
}

// Another tab of this browser has signed out. The event does not reach the tab that causes it.
addEventListener('storage', ({ key, newValue }) => {
  if (key === SIGNED_IN && newValue === null) forgetSession();
});

/** The button that ends the session of this browser. */
export function SignOut() {
  if (!isSignedIn.value || signInReason.value !== null) return null;
  const leave = async () => {
    const answer = await api.DELETE('/v1/sessions/current').catch(() => null);
    // Only the server can end the session. With 401 there is none to end.
    if (answer === null || !(answer.response.ok || answer.response.status === 401)) return;
    noteSignedIn(false);
    forgetSession();
  };
  return (
    <button type="button" onClick={() => void leave()}>
      Sign out
    </button>
  );
}

export function SignIn() {
  const kind = useSignal<'token' | 'joinCode'>('token');
  const error = useSignal<unknown>(null);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    // The event is that of the form below.
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const text = (name: string) => String(form.get(name) ?? '').trim();
    const body =
      kind.value === 'token'
        ? ({ type: 'token', token: text('secret'), cookie: true } as const)
        : ({ type: 'joinCode', code: text('secret'), name: text('name'), cookie: true } as const);
    try {
      const session = await answerOf(api.POST('/v1/sessions', { body }));
      noteSignedIn(true);
      signInReason.value = null;
      if ('election' in session && typeof session.election === 'string') {
        // The path of the election.
        go(['elections', session.election.split('/').at(-1) ?? '']);
      }
    } catch (refusal) {
      error.value = refusal;
    }
  };
  return (
    <form class="sign-in panel" onSubmit={submit}>
      <h1>Sign in</h1>
      <p>This server requires a token. Your instructor gives you a token or a join code.</p>
      <fieldset class="choices">
        <legend>Sign in with</legend>
        {(['token', 'joinCode'] as const).map((each) => (
          <label key={each}>
            <input
              type="radio"
              name="kind"
              checked={kind.value === each}
              onChange={() => {
                kind.value = each;
              }}
            />
            {each === 'token' ? 'a token' : 'a join code'}
          </label>
        ))}
      </fieldset>
      <label>
        {kind.value === 'token' ? 'Token' : 'Join code'}
        <input name="secret" required type="password" autocomplete="off" />
      </label>
      {kind.value === 'joinCode' ? (
        <label>
          Your name
          <input name="name" required maxLength={64} autocomplete="name" />
        </label>
      ) : null}
      <ErrorNotice error={error.value} />
      <button class="primary" type="submit">
        Sign in
      </button>
    </form>
  );
}
