import should from 'should';
import { analyze } from '../../../../src/mesh/analysis/analyze.js';
import type { Analysis } from '../../../../src/mesh/analysis/report.js';
import { verdictOf } from '../../../../src/mesh/analysis/verdict.js';
import { translateReason } from '../../../../src/service/command-line/html-report/german-reasons.js';
import { makeCube } from '../../../mesh/models/cube.js';

/** Returns the reasons of the analysis of a cube with these changes. */
function reasonsOf(changes: Partial<Analysis>): string[] {
  const analysis = analyze(makeCube());
  const qualityParams = { ...analysis.qualityParams, ...changes.qualityParams };
  const solidityParams = { ...analysis.solidityParams, ...changes.solidityParams };
  return verdictOf({ ...analysis, ...changes, qualityParams, solidityParams }).reasons;
}

/** All reasons that a verdict can have, with a count of triangles or edges. */
function listReasons(count: number): string[] {
  const { qualityParams, solidityParams } = analyze(makeCube());
  return [
    { triangles: 0 },
    { boundaryEdges: count, inconsistentEdges: count },
    { nonManifoldEdges: count },
    ...[3, 4, 12, 13].map((triangles) => ({
      ...{ nonManifoldEdges: count, edgesByTriangles: [{ triangles, edges: count }] },
    })),
    { nonManifoldVertices: count, degenerateTriangles: count },
    { qualityParams: { ...qualityParams, intersectingTriangles: count, overlappingTriangles: count } },
    { isIntersectionCheckComplete: false },
    { boundsVolume: false },
    { boundsVolume: false, volumeMm3: 0 },
    { boundsVolume: false, solidityParams: { ...solidityParams, invertedNormals: count } },
  ].flatMap(reasonsOf);
}

describe('the reasons of a verdict in German', () => {
  it('are translated, each of them', () => {
    const reasons = [...listReasons(1), ...listReasons(12)];
    new Set(reasons).size.should.equal(28);
    for (const reason of reasons) {
      should(translateReason(reason)).not.equal(reason);
    }
  });

  it('keep their counts, in singular and plural', () => {
    should(translateReason('1 boundary edge')).equal('1 Randkante');
    should(translateReason('149 boundary edges')).equal('149 Randkanten');
    should(translateReason('1 edge has four triangles')).equal('1 Kante hat vier Dreiecke');
    should(translateReason('3 edges have 13 triangles')).equal('3 Kanten haben 13 Dreiecke');
    should(translateReason('inside out: 12 triangles face inward')).match(/: 12$/);
  });

  it('are translated also if a warning gives them', () => {
    should(translateReason('volume lost without an explanation')).equal('Volumen fehlt ohne bekannten Grund');
    should(translateReason('walls without thickness were dropped')).equal('Wände ohne Dicke wurden entfernt');
  });

  it('are translated also if they come from the import', () => {
    const translations: [string, string][] = [
      ['incomplete file', 'unvollständige Datei'],
      ['incomplete file: 4 % of the triangles', 'unvollständige Datei: 4 % der Dreiecke'],
      ['incomplete file: less than 1 % of the triangles', 'unvollständige Datei: weniger als 1 % der Dreiecke'],
      [
        'implausible size: largest dimension 0.07 mm, and the file states no unit',
        'unplausible Größe: größte Abmessung 0,07 mm, und die Datei nennt keine Einheit',
      ],
      [
        'implausible size: volume 6 mm³, and the file states no unit',
        'unplausible Größe: Volumen 6 mm³, und die Datei nennt keine Einheit',
      ],
    ];
    for (const [english, german] of translations) should(translateReason(english)).equal(german);
  });

  it('stay as they are if they are not known', () => {
    should(translateReason('too heavy')).equal('too heavy');
  });
});
