/**
 * @module
 * This folder contains the view of the model checker: the form of a check, its job, its counterexample action by
 * action, and a walk through the worlds by hand.
 */

import { hrefOf } from '../shell/router.ts';
import type { ViewProps } from '../shell/views.ts';
import { CheckForm } from './check-form.tsx';
import { CheckJobView } from './check-job.tsx';
import './checks.css';
import { Walk } from './walk.tsx';

export function View({ segments: [page], query }: ViewProps) {
  if (page === undefined) return <CheckForm query={query} />;
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
