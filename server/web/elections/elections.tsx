/**
 * @module
 * This folder contains the view of elections: the list with the form that creates one, and the view of one election.
 */

import './elections.css';

import type { ViewProps } from '../shell/views.ts';
import { CreateForm } from './create/create-form.tsx';
import { Play } from './play/play.tsx';

export function View({ segments, query }: ViewProps) {
  const [id] = segments;
  if (id !== undefined) return <Play key={id} id={id} query={query} />;
  return (
    <>
      <h1>Elections</h1>
      <h2>Create an election</h2>
      <CreateForm query={query} />
    </>
  );
}
