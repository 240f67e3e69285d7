/**
 * @module
 * A walk through the worlds of a check by hand. The address of the world is in the URL.
 */

import { useEffect, useRef } from 'preact/hooks';

import type { Operation } from '../operations/draft.ts';
import { bodyOf, commandOf } from '../operations/draft.ts';
import { readOperations } from '../operations/operations.tsx';
import { Equivalent } from '../parts/equivalent.tsx';
import { ErrorNotice, Notice } from '../parts/notice.tsx';
import type { QueryProps } from '../shell/router.ts';
import { keepInAddress } from '../shell/router.ts';
import { useAnswer } from '../shell/use-answer.ts';
import type { World } from './world.tsx';
import { WorldState } from './world.tsx';
import type { CheckRequest } from './worlds.ts';
import { useWorld } from './worlds.ts';

export function Walk({ query }: QueryProps) {
  const { value, error } = useAnswer(readOperations);
  const operation = value?.find(({ name }) => name === 'check') ?? null;
  if (operation === null) return <ErrorNotice error={error} />;
  return <WalkOf {...{ operation, query }} />;
}

function WalkOf({ operation, query }: QueryProps & { readonly operation: Operation }) {
  // The server refuses a job that is not a check.
  const request = bodyOf(operation, query) as CheckRequest;
  const address = addressOf(query.address);
  const { value: world, error } = useWorld(request, address);
  const walkTo = (next: readonly number[]) => keepInAddress({ address: next.join('.') });
  return (
    <>
      <h1>Walk through {request.protocol}</h1>
      <p>
        You choose what happens next. {address.length} {address.length === 1 ? 'action' : 'actions'}{' '}
        so far.
      </p>
      <div class="controls">
        <button
          type="button"
          disabled={address.length === 0}
          onClick={() => walkTo(address.slice(0, -1))}
        >
          Undo
        </button>
        <button type="button" disabled={address.length === 0} onClick={() => walkTo([])}>
          Back to the first world
        </button>
      </div>
      <ErrorNotice error={error} />
      {world === null ? <p class="loading">Loading…</p> : null}
      {world === null ? null : (
        <>
          <Actions world={world} onChoose={(index) => walkTo([...address, index])} />
          <WorldState world={world} />
        </>
      )}
      <Equivalent
        command={[...commandOf(operation, request), '--interactive']}
        request={{ method: 'POST', path: '/v1/checks/worlds', body: { ...request, address } }}
      />
    </>
  );
}

interface ActionsProps {
  readonly world: World;
  readonly onChoose: (index: number) => void;
}

function Actions({ world, onChoose }: ActionsProps) {
  const { actions, address } = world;
  const first = useRef<HTMLButtonElement>(null);
  const moved = address.length;
  useEffect(() => {
    // After a choice its button is gone, so that the keyboard goes on with the next ones.
    if (moved > 0) first.current?.focus({ preventScroll: true });
  }, [moved]);
  return (
    <section aria-live="polite">
      <h2>What may happen next</h2>
      {actions.length === 0 ? <Notice kind="info">Nothing more can happen.</Notice> : null}
      <ol class="actions">
        {actions.map(({ index, isFault, text }, position) => (
          <li key={index}>
            <button
              type="button"
              ref={position === 0 ? first : null}
              onClick={() => onChoose(index)}
            >
              {isFault ? <strong>Fault: </strong> : null}
              {text}
            </button>
          </li>
        ))}
      </ol>
    </section>
  );
}

/** Indexes such as `0.2.1`; what is no index is left out. */
function addressOf(text: string | undefined): number[] {
  return (text ?? '')
    .split('.')
    .filter((part) => /^\d{1,9}$/.test(part))
    .map(Number);
}
