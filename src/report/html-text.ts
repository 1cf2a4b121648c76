/** HTML as values: whatever is put into a template is escaped unless it is markup that a template made. */
import { escapeMarkup } from './visible-text.ts';

/** Markup that needs no escaping. Only `html` makes it, and `trusted` for text this project wrote itself. */
export class Markup {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** What a template takes: text and numbers are escaped, markup is not, lists are joined. */
export type Fragment = Markup | string | number | readonly Fragment[];

function written(value: Fragment): string {
  if (value instanceof Markup) return value.text;
  if (typeof value === 'string') return escapeMarkup(value);
  if (typeof value === 'number') return String(value);
  return value.map(written).join('');
}

/**
 * A template whose values are escaped.
 * @example html`<p>${'<script>'}</p>`.text // => '<p>&lt;script&gt;</p>'
 */
export function html(parts: TemplateStringsArray, ...values: readonly Fragment[]): Markup {
  return new Markup(
    parts.map((part, at) => part + (at < values.length ? written(values[at] ?? '') : '')).join(''),
  );
}

/** Text of this project's own source as markup; never anything a run recorded. */
export function trusted(text: string): Markup {
  return new Markup(text);
}

/**
 * Text that somebody outside wrote, kept from reordering its neighbours.
 * @example isolated('u<1>').text // => '<bdi>u&lt;1&gt;</bdi>'
 */
export function isolated(text: string): Markup {
  return html`<bdi>${text}</bdi>`;
}

/** A digest in full, breakable anywhere. */
export function digestText(digest: string | null): Markup {
  return digest === null ? html`none` : html`<code class="digest">${digest}</code>`;
}

/** A table; `wide` columns hold sentences. */
export interface DataTable {
  readonly caption: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly Fragment[])[];
  /** Whether the caption is only for screen readers, because a heading says it. */
  readonly captionHidden?: boolean;
}

/**
 * A table that turns into a list of labelled values on narrow screens; roles are written out because that layout would drop them.
 */
export function dataTable({ caption, head, rows, captionHidden = true }: DataTable): Markup {
  const captionClass = captionHidden ? 'unseen' : 'seen';
  const cells = (row: readonly Fragment[]): Markup[] =>
    row.map((cell, at) =>
      at === 0
        ? html`<th scope="row" role="rowheader" data-label="${head[at] ?? ''}"><div>${cell}</div></th>`
        : html`<td role="cell" data-label="${head[at] ?? ''}"><div>${cell}</div></td>`,
    );
  return html`<table role="table">
<caption class="${captionClass}">${caption}</caption>
<thead role="rowgroup"><tr role="row">${head.map((name) => html`<th scope="col" role="columnheader">${name}</th>`)}</tr></thead>
<tbody role="rowgroup">${rows.map((row) => html`<tr role="row">${cells(row)}</tr>\n`)}</tbody>
</table>`;
}
