import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Report } from '../../../api/index.js';
import type { PREVIEW } from '../../operations/kinds/preview.js';
import type { THUMBNAIL } from '../../operations/kinds/thumbnail.js';
import type { ParametersOf } from '../../operations/operation-kind.js';
import { readPackageInfo, readViewerModule } from '../../package-info.js';
import { createHtmlReport, type ReportedModel } from '../html-report/create-html-report.js';
import { createReportScript } from '../html-report/create-report-script.js';
import type { ReportLanguage } from '../html-report/report-texts.js';
import { type RunStep, writeOutput } from './write-output.js';

const PREVIEW_PARAMETERS: ParametersOf<typeof PREVIEW> = { triangles: 100_000 };
const PICTURE_SIZE = { width: 640, height: 480 };

/** What the report of a file is written from. */
export interface HtmlReportSource {
  filename: string;
  language: ReportLanguage;
  report: Report;
  /** The stored model before a repair. */
  before: string | undefined;
  /** The stored model to show as the result. */
  after: string;
}

/** How the models of a report are shown. */
export interface HtmlReportDependencies {
  run: RunStep;
  /** A private folder for intermediate files. */
  folder: string;
  /** The direction of the pictures. */
  thumbnail: ParametersOf<typeof THUMBNAIL>;
}

/** Writes the report of a file to an unused filename, which it returns. Throws `StepError`. */
export async function writeHtmlReport(
  preferred: string,
  { before, after, ...source }: HtmlReportSource,
  dependencies: HtmlReportDependencies,
): Promise<string> {
  const content = {
    ...source,
    before: before === undefined ? undefined : await showModel(before, dependencies),
    after: await showModel(after, dependencies),
    script: createReportScript(readViewerModule()),
    version: readPackageInfo().version,
  };
  const { file } = await writeOutput(preferred, (part) => writeFile(part, createHtmlReport(content)));
  return file;
}

async function showModel(
  inputPath: string,
  { run, folder, thumbnail }: HtmlReportDependencies,
): Promise<ReportedModel> {
  const [picture, preview] = [path.join(folder, 'picture'), path.join(folder, 'preview')];
  const parameters = { ...thumbnail, ...PICTURE_SIZE };
  await run({ operation: 'thumbnail', inputPath, outputPath: picture, parameters });
  await run({ operation: 'preview', inputPath, outputPath: preview, parameters: PREVIEW_PARAMETERS });
  return { picture: await readFile(picture), preview: await readFile(preview) };
}
