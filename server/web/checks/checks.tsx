/**
 * @module
 * This folder contains what the browser has of checks besides their form: the job with its counterexample action by
 * action, and a walk through the worlds by hand.
 */

import { OperationPage } from '../operations/operations.tsx';
import { go, hrefOf } from '../shell/router.ts';
import type { ViewProps } from '../shell/views.ts';
import { CheckJobView } from './check-job.tsx';
import './checks.css';
import { Walk } from './walk.tsx';

export function View({ segments: [page], query }: ViewProps) {
  if (page === undefined) {
    const walk = (
      <button type="button" onClick={() => go(['checks', 'walk'], query)}>
        Walk by hand
      </button>
    );
    return <OperationPage name="check" query={query} beside={walk} />;
  }
  const back = (
    <p>
      <a href={hrefOf(['checks'], page === 'walk' ? withoutAddress(query) : {})}>Another check</a>
    </p>
  );
  return (
    <>
      {back}
      {page === 'walk' ? <Walk query={query} /> : <CheckJobView id={page} query={query} />}
    </>
  );
}

function withoutAddress({ address: _address, ...rest }: ViewProps['query']) {
  return rest;
}
