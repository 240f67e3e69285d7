/**
 * @module
 * This folder contains the view of threat models: the catalogue, and one model that is edited as form and as YAML
 * and run.
 */

import './threat-models.css';

import { ErrorNotice, Notice } from '../parts/notice.tsx';
import { hrefOf } from '../shell/router.ts';
import { useAnswer } from '../shell/use-answer.ts';
import type { ViewProps } from '../shell/views.ts';
import { CatalogueList } from './catalogue.tsx';
import { loadCatalogue } from './catalogue-data.ts';
import { ModelPage } from './model-page.tsx';

export function View({ segments: [id], query }: ViewProps) {
  const { value: catalogue, error } = useAnswer(loadCatalogue);
  if (catalogue === null) {
    return (
      <>
        <h1>Threat models</h1>
        <ErrorNotice error={error} />
        {error === null ? <p class="loading">Loading the catalogue…</p> : null}
      </>
    );
  }
  const { models, schema } = catalogue;
  if (id === undefined) return <CatalogueList models={models} query={query} />;
  const model = models.find((each) => each.id === id);
  if (model !== undefined) {
    return <ModelPage key={id} model={model} schema={schema} query={query} />;
  }
  return (
    <>
      <h1>Threat models</h1>
      <Notice kind="error">
        The catalogue has no model of this name.{' '}
        <a href={hrefOf(['threat-models'])}>Show the catalogue.</a>
      </Notice>
    </>
  );
}
