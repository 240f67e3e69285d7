/**
 * @module
 * This folder contains the view of the caller's jobs: the list of all kinds, and one job with its result. A job of a kind
 * that has a view of its own is shown there.
 */

import './jobs.css';

import type { ViewProps } from '../shell/views.ts';
import { JobList } from './job-list.tsx';
import { JobPage } from './job-page.tsx';

export function View({ segments: [id], query }: ViewProps) {
  return id === undefined ? <JobList query={query} /> : <JobPage key={id} id={id} />;
}
