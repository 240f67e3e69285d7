/**
 * @module
 * The token of the member who looks at the page: what it is for, the token itself as long as this tab has it, and its
 * replacement.
 */

import { answerOf, api } from '../api/client.ts';
import { keepOwnToken, ownToken } from '../api/session.ts';
import { Downloads } from '../parts/download.tsx';
import { Copied } from '../parts/equivalent.tsx';
import { ErrorNotice } from '../parts/notice.tsx';
import { useAttempt } from '../shell/use-attempt.ts';

export function OwnToken() {
  const { isBusy, error, attempt } = useAttempt();
  const token = ownToken.value;
  const replace = () => {
    const question = 'Replace your token? Scripts with the present one are refused from now on.';
    if (!confirm(question)) return;
    void attempt(async () => keepOwnToken((await answerOf(api.POST('/v1/class/token'))).token));
  };
  return (
    <section class="own-token">
      <h2>Your token</h2>
      <p>
        {token === null
          ? 'Scripts send the token that you received when you joined, and you sign in with it in other browsers. The server cannot show it again. If it is lost, replace it.'
          : 'Scripts send this token, and you sign in with it in other browsers. Save it: it is shown until you sign out or close this tab.'}
      </p>
      {token === null ? null : (
        <>
          <Copied name="token" text={token} isWhole />
          <Copied name="shell" text={`export USURP_TOKEN=${token}`} isWhole />
        </>
      )}
      <div class="actions">
        {token === null ? null : (
          <Downloads
            files={[
              { label: 'Save it', name: 'usurp-token.txt', read: () => new Blob([`${token}\n`]) },
            ]}
          />
        )}
        <button type="button" disabled={isBusy.value} onClick={replace}>
          Replace it
        </button>
      </div>
      <ErrorNotice error={error.value} />
    </section>
  );
}
