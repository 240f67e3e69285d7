/**
 * @module
 * Sign-in with a token or a join code. The server sets a cookie that no script can read.
 */

import { signal, useSignal } from '@preact/signals';

import { answerOf, api, ProblemError } from '../api/client.ts';
import { Downloads } from '../parts/download.tsx';
import { Copied } from '../parts/equivalent.tsx';
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

const KINDS = {
  token: 'a token',
  classCode: 'a join code of a class',
  joinCode: 'a join code of an election',
} as const;

type Kind = keyof typeof KINDS;

// Object.keys loses the names.
const KIND_NAMES = Object.keys(KINDS) as readonly Kind[];

export function SignIn() {
  const kind = useSignal<Kind>('token');
  const error = useSignal<unknown>(null);
  const member = useSignal<NewMember | null>(null);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    error.value = null;
    // The event is that of the form below.
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const text = (name: string) => String(form.get(name) ?? '').trim();
    try {
      if (kind.value === 'token') await signInWith(text('secret'));
      else if (kind.value === 'classCode') member.value = await joinClass(text('secret'));
      else await joinElection(text('secret'), text('name'));
    } catch (refusal) {
      error.value = refusal;
    }
  };
  if (member.value !== null) return <OwnToken {...member.value} />;
  return (
    <form class="sign-in panel" onSubmit={submit}>
      <h1>Sign in</h1>
      <p>This server requires a token. Your instructor gives you a token or a join code.</p>
      <fieldset class="choices">
        <legend>Sign in with</legend>
        {KIND_NAMES.map((each) => (
          <label key={each}>
            <input
              type="radio"
              name="kind"
              checked={kind.value === each}
              onChange={() => {
                kind.value = each;
              }}
            />
            {KINDS[each]}
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

/** A member of a class that has exchanged its join code. */
interface NewMember {
  readonly name: string;
  readonly token: string;
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

/** Without a cookie: the answer has the token, which no later answer contains. */
async function joinClass(code: string): Promise<NewMember> {
  const body = { type: 'classCode', code, cookie: false } as const;
  const { name, token } = await answerOf(api.POST('/v1/sessions', { body }));
  return { name, token: token ?? '' };
}

/** Shows what was behind the form, or the election at this path. */
function enter(election: string | null): void {
  noteSignedIn(true);
  signInReason.value = null;
  if (election !== null) go(['elections', election.split('/').at(-1) ?? '']);
}

/** The token of a new member, before it signs in with it. */
function OwnToken({ name, token }: NewMember) {
  const error = useSignal<unknown>(null);
  const goOn = async () => {
    try {
      await signInWith(token);
      go(['exercises']);
    } catch (refusal) {
      error.value = refusal;
    }
  };
  return (
    <section class="sign-in panel">
      <h1>Your token</h1>
      <p>
        {name}, you have joined the class, and your join code is used up. Keep this token: your
        scripts send it, and you sign in with it again. It is not shown a second time.
      </p>
      <Copied name="token" text={token} />
      <Downloads
        files={[
          { label: 'Save it', name: 'usurp-token.txt', read: () => new Blob([`${token}\n`]) },
        ]}
      />
      <ErrorNotice error={error.value} />
      <button class="primary" type="button" onClick={() => void goOn()}>
        Go on
      </button>
    </section>
  );
}
