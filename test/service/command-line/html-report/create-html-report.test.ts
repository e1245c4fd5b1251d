import 'should';
import { analyzeWithPlaces } from '../../../../src/mesh/analysis/analyze.js';
import { addNotes } from '../../../../src/mesh/analysis/model-notes.js';
import { createUnchangedReport } from '../../../../src/mesh/analysis/unchanged-report.js';
import { createHtmlReport } from '../../../../src/service/command-line/html-report/create-html-report.js';
import { makeCube } from '../../../mesh/models/cube.js';

const MALICIOUS = '</script><img src=x onerror="document.title=1">.stl';

describe('createHtmlReport', () => {
  const report = addNotes(createUnchangedReport(analyzeWithPlaces(makeCube())), {
    warnings: [
      { code: 'TRUNCATED', message: `The header declares 9 of “${MALICIOUS}”; the file contains 3, which were read.` },
      { code: 'NO_FACES', message: MALICIOUS },
    ],
    reasons: ['incomplete file: 33 % of the triangles'],
  });
  const after = { picture: new Uint8Array(1), preview: new Uint8Array(1) };
  const create = (language: 'en' | 'de') =>
    createHtmlReport({ filename: MALICIOUS, language, report, after, script: '', version: '1.0.0' });

  it('contains a filename and warnings that look like HTML as text', () => {
    for (const language of ['en', 'de'] as const) {
      const html = create(language);
      html.should.not.match(/<img src=x/);
      html.should.match(/<h1>&lt;\/script&gt;&lt;img src=x onerror=&quot;document\.title=1&quot;&gt;\.stl<\/h1>/);
    }
  });

  it('has its warnings in its language', () => {
    create('de').should.match(/<h2>Warnungen<\/h2>\n<ul><li>Der Anfang der Datei nennt 9 Elemente/);
    create('en').should.match(/<h2>Warnings<\/h2>\n<ul><li>The header declares 9/);
  });

  it('says how its parts touch or overlap, and why a solid needs a check', () => {
    const withParts = (parts: { count: number; overlapMm3?: number }, language: 'en' | 'de') =>
      createHtmlReport({
        ...{ filename: 'a.3mf', language, after, script: '', version: '1.0.0' },
        report: { ...report, after: { ...report.after, parts } },
      });
    withParts({ count: 11, overlapMm3: 0 }, 'en').should.match(/<p>11 parts, which touch<\/p>/);
    withParts({ count: 2, overlapMm3: 12.5 }, 'en').should.match(/<p>2 parts, which overlap by 12\.5 mm³<\/p>/);
    withParts({ count: 2, overlapMm3: 12.5 }, 'de').should.match(/<p>2 Teile, die sich um 12,5 mm³ überlappen<\/p>/);
    withParts({ count: 2 }, 'de').should.match(/<p>2 Teile, die sich berühren oder überlappen<\/p>/);
    create('en').should.match(/<p class="verdict unconfirmed">Check before printing\./);
    create('de').should.match(/Vor dem Druck prüfen[\s\S]*<li>unvollständige Datei: 33 % der Dreiecke<\/li>/);
    create('en').should.not.match(/parts, which/);
  });
});
