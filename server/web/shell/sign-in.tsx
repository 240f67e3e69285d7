/**
 * @module
 * Sign-in with a token or a code. The server sets a cookie that no script can read.
 */

import { signal, useSignal } from '@preact/signals';

import { answerOf, api, ProblemError } from '../api/client.ts';
import {
  isSignedIn,
  keepOwnToken,
  noteSignedIn,
  offersClass,
  onSignedOut,
} from '../api/session.ts';
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

/** Removes what this tab keeps of a session, also in memory, and shows the start page. */
function forgetSession(): void {
  sessionStorage.clear();
  history.replaceState(null, '', hrefOf([]));
  location.reload();
}

onSignedOut(forgetSession);

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

const KINDS = {
  classCode: 'a class code',
  token: 'a token',
  joinCode: 'a join code of an election',
} as const;

type Kind = keyof typeof KINDS;

// Object.keys loses the names.
const KIND_NAMES = Object.keys(KINDS) as readonly Kind[];

export function SignIn() {
  const chosen = useSignal<Kind | null>(null);
  const error = useSignal<unknown>(null);
  const kind: Kind = chosen.value ?? (offersClass.value ? 'classCode' : 'token');
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    error.value = null;
    // The event is that of the form below.
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const text = (name: string) => String(form.get(name) ?? '').trim();
    try {
      if (kind === 'token') await signInWith(text('secret'));
      else if (kind === 'classCode') await joinClass(text('secret'));
      else await joinElection(text('secret'), text('name'));
    } catch (refusal) {
      const isWrong = refusal instanceof ProblemError && refusal.problem.code === 'auth.credential';
      const title = kind === 'token' ? 'Wrong token' : 'Wrong code';
      error.value = isWrong ? new ProblemError({ ...refusal.problem, title }) : refusal;
    }
  };
  if (offersClass.value === null) return <p class="loading">Loading…</p>;
  const kinds = KIND_NAMES.filter((each) => each !== 'classCode' || offersClass.value);
  return (
    <form class="sign-in panel" onSubmit={submit}>
      <h1>Sign in</h1>
      <p>This server requires a token. Your instructor gives you a token or a code.</p>
      <fieldset class="choices">
        <legend>Sign in with</legend>
        {kinds.map((each) => (
          <label key={each}>
            <input
              type="radio"
              name="kind"
              checked={kind === each}
              onChange={() => {
                chosen.value = each;
              }}
            />
            {KINDS[each]}
          </label>
        ))}
      </fieldset>
      <label>
        {kind === 'token' ? 'Token' : kind === 'classCode' ? 'Class code' : 'Join code'}
        <input name="secret" required type="password" autocomplete="off" />
      </label>
      {kind === 'joinCode' ? (
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

async function signInWith(token: string): Promise<void> {
  const { election } = await answerOf(
    api.POST('/v1/sessions', { body: { type: 'token', token, cookie: true } }),
  );
  enter(election);
}

async function joinElection(code: string, name: string): Promise<void> {
  const body = { type: 'joinCode', code, name, cookie: true } as const;
  enter((await answerOf(api.POST('/v1/sessions', { body }))).election);
}

/** The code signs this browser in at once. Only this answer has the token, which the exercises then show. */
async function joinClass(code: string): Promise<void> {
  const body = { type: 'classCode', code, cookie: true } as const;
  const { token } = await answerOf(api.POST('/v1/sessions', { body }));
  if (token !== null) keepOwnToken(token);
  enter(null);
  go(['exercises']);
}

/** Shows what was behind the form, or the election at this path. */
function enter(election: string | null): void {
  noteSignedIn(true);
  signInReason.value = null;
  if (election !== null) go(['elections', election.split('/').at(-1) ?? '']);
}
