import { createHash } from 'node:crypto';
import type { Analysis, Report, Verdict } from '../../../api/index.js';
import { ENGLISH } from './english.js';
import { escapeHtml } from './escape-html.js';
import { GERMAN } from './german.js';
import { REPORT_STYLE } from './report-style.js';
import { MEASURES, type ReportLanguage, type ReportTexts } from './report-texts.js';

/** A model in a report. `File`: the bytes of a file, or what they are read from when the report is sent. */
export interface ReportedModel<File = Uint8Array> {
  /** PNG. */
  picture: File;
  /** The file of the operation `preview`. */
  preview: File;
}

/** What a report contains. */
export interface ReportContent<File = Uint8Array> {
  filename: string;
  language: ReportLanguage;
  report: Report;
  /** The model before a repair. Absent if there was none. */
  before?: ReportedModel<File> | undefined;
  after: ReportedModel<File>;
  /** That of `createReportScript`. */
  script: string;
  /** That of this program. */
  version: string;
}

/** A part of a report: text, or a file to insert as base64. */
export type ReportPart<File> = string | { file: File };

const SIGNIFICANT_DIGITS = 6;

/**
 * Creates the report of a model as one HTML file. Its policy allows nothing but its own script, styles and pictures,
 * and no network. Without scripts it lacks only the 3D view. Deterministic.
 */
export function createHtmlReport(content: ReportContent): string {
  const toText = (part: ReportPart<Uint8Array>): string =>
    typeof part === 'string' ? part : Buffer.from(part.file).toString('base64');
  return createReportParts(content).map(toText).join('');
}

/** Returns the parts of the report that `createHtmlReport` creates, in order. The script is a part of its own. */
export function createReportParts<File>(content: ReportContent<File>): ReportPart<File>[] {
  const { filename, language, before, after, script } = content;
  const texts = language === 'de' ? GERMAN : ENGLISH;
  const policy = [
    ...["default-src 'none'", "base-uri 'none'", "form-action 'none'", 'img-src data:'],
    ...[`script-src ${hash(script)}`, `style-src ${hash(REPORT_STYLE)}`],
  ].join('; ');
  const head = `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(filename)}</title>
<style>${REPORT_STYLE}</style>
</head>
<body>
<main>
${formatHead(content, texts)}
`;
  const middle = `
<section id="view" class="view" hidden>
<h2>${texts.view}</h2>
<div id="viewer"></div>
</section>
${formatMeasures(content, texts)}
${before ? formatSteps(content, texts) : ''}
${formatWarnings(content, texts)}
</main>
<footer><p>${escapeHtml(fill(texts.createdBy, content.version))}</p></footer>
`;
  return [
    head,
    ...createPictures(content, texts),
    middle,
    ...(before ? createPreviewParts('before', before) : []),
    '\n',
    ...createPreviewParts('after', after),
    '\n<script type="module">',
    script,
    '</script>\n</body>\n</html>\n',
  ];
}

function hash(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

function fill(text: string, value: string): string {
  return text.replace(/\{\w+\}/, () => value);
}

function formatNumber(value: number, language: ReportLanguage): string {
  const options = {
    maximumSignificantDigits: Math.max(SIGNIFICANT_DIGITS, Math.trunc(Math.abs(value)).toString().length),
  };
  return new Intl.NumberFormat(language === 'en' ? 'en-US' : language, options).format(value);
}

function describeVerdict({ level, needsRepair }: Verdict, texts: ReportTexts): { style: string; title: string } {
  if (!needsRepair) return { style: 'good', title: texts.printable };
  return level === 'solid'
    ? { style: 'unconfirmed', title: texts.unconfirmed }
    : { style: 'bad', title: texts.notPrintable };
}

function formatHead({ filename, report, language }: ReportContent<unknown>, texts: ReportTexts): string {
  const { level, reasons } = report.verdict;
  const { style, title } = describeVerdict(report.verdict, texts);
  const items = reasons.map((reason) => `<li>${escapeHtml(texts.translateReason(reason))}</li>`).join('');
  const { dimensionXMm, dimensionYMm, dimensionZMm } = report.after;
  const sizes = [dimensionXMm, dimensionYMm, dimensionZMm].map((size) => formatNumber(size, language));
  return `<h1>${escapeHtml(filename)}</h1>
<p class="verdict ${style}">${title}. ${texts.level[level]}</p>
${items ? `<h2>${texts.reasons}</h2><ul>${items}</ul>` : ''}
<p>${texts.dimensions}: ${sizes.join(' × ')} mm</p>${formatParts(report.after, language, texts)}${formatSkipped(report, language, texts)}`;
}

/** Says how many parts touch or overlap, if any do. */
function formatParts({ parts }: Analysis, language: ReportLanguage, texts: ReportTexts): string {
  if (!parts) return '';
  const { count, overlapMm3 } = parts;
  const contact = overlapMm3 === undefined ? 'either' : overlapMm3 > 0 ? 'overlap' : 'touch';
  const text = texts.parts[contact].replace('{count}', formatNumber(count, language));
  return `\n<p>${text.replace('{volume}', formatNumber(overlapMm3 ?? 0, language))}</p>`;
}

/** Says what of the file was not read. */
function formatSkipped({ skipped }: Report, language: ReportLanguage, texts: ReportTexts): string {
  if (!skipped) return '';
  const { title } = texts.skipped;
  const names = ['triangles', 'faces', 'objects'] as const;
  const counts = names.flatMap((name) => {
    const count = skipped[name];
    return count === undefined ? [] : [`${texts.skipped[name]}: ${formatNumber(count, language)}`];
  });
  return `\n<p>${title}: ${counts.join(', ')}</p>`;
}

function createPictures<File>({ before, after }: ReportContent<File>, texts: ReportTexts): ReportPart<File>[] {
  const toFigure = (name: string, { picture }: ReportedModel<File>, caption: string): ReportPart<File>[] => [
    `<figure><img id="picture-${name}" src="data:image/png;base64,`,
    { file: picture },
    `" alt="${caption}"><figcaption>${caption}</figcaption></figure>`,
  ];
  const figures = before
    ? [...toFigure('before', before, texts.before), '\n', ...toFigure('after', after, texts.after)]
    : toFigure('after', after, texts.model);
  return [`<h2>${texts.pictures}</h2>\n<div class="pictures">`, ...figures, '</div>'];
}

function formatMeasures({ report, before, language }: ReportContent<unknown>, texts: ReportTexts): string {
  const columns: [name: string, analysis: Analysis][] = before
    ? [
        [texts.before, report.before],
        [texts.after, report.after],
      ]
    : [[texts.model, report.after]];
  const rows = Object.entries(MEASURES).map(([name, measure]) => {
    const cells = columns.map(([, analysis]) => `<td>${formatNumber(measure(analysis), language)}</td>`);
    return `<tr><th scope="row">${texts.measureNames[name as keyof typeof MEASURES]}</th>${cells.join('')}</tr>`;
  });
  const heads = [texts.measure, ...columns.map(([name]) => name)].map((name) => `<th scope="col">${name}</th>`);
  return `<h2>${texts.measures}</h2>
<table><thead><tr>${heads.join('')}</tr></thead><tbody>
${rows.join('\n')}
</tbody></table>`;
}

function formatSteps({ report, language }: ReportContent<unknown>, texts: ReportTexts): string {
  const steps = report.steps.filter(({ changed }) => changed > 0);
  const items = steps.map(({ name, changed }) => {
    return `<li>${escapeHtml(texts.stepNames[name] ?? name)}: ${formatNumber(changed, language)}</li>`;
  });
  const displacement = fill(texts.maxDisplacement, formatNumber(report.maxDisplacementMm, language));
  const content = items.length > 0 ? `<ul>${items.join('')}<li>${displacement}</li></ul>` : `<p>${texts.noSteps}</p>`;
  return `<h2>${texts.steps}</h2>\n${content}`;
}

function formatWarnings({ report }: ReportContent<unknown>, texts: ReportTexts): string {
  if (report.warnings.length === 0) return '';
  const items = report.warnings.map((warning) => {
    const translated = texts.translateWarning(warning);
    return translated === undefined
      ? `<li lang="en">${escapeHtml(warning.message)}</li>`
      : `<li>${escapeHtml(translated)}</li>`;
  });
  return `<h2>${texts.warnings}</h2>\n<ul>${items.join('')}</ul>`;
}

function createPreviewParts<File>(name: string, { preview }: ReportedModel<File>): ReportPart<File>[] {
  return [`<script type="text/plain" id="preview-${name}">`, { file: preview }, '</script>'];
}
