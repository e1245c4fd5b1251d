import type { DeformationLimit } from '../reading/deform-points.js';
import { type ColladaDocument, type ColladaElement, findChild } from './collada-element.js';
import { findSource, inputsOf, readNames, readNumbers, readPoints } from './collada-source.js';

/**
 * Moves the points of a geometry by the targets of a `morph`, by their weights (COLLADA 1.4.1, `morph`). Skips targets
 * that do not exist or have other numbers of points.
 *
 * @param onMissing is called for each target that is skipped
 */
export function morphPoints(
  document: ColladaDocument,
  morph: ColladaElement,
  points: Float64Array,
  limit: DeformationLimit,
  onMissing: () => void,
): Float64Array {
  const inputs = inputsOf(findChild(morph, 'targets'));
  const weightSource = findSource(document, inputs, 'MORPH_WEIGHT');
  const weights = weightSource ? readNumbers(document, weightSource, 1) : new Float64Array();
  const isRelative = morph.attributes.get('method') === 'RELATIVE';
  const moved = points.slice();
  for (const [i, id] of readNames(findSource(document, inputs, 'MORPH_TARGET')).names.entries()) {
    if (!weights[i]) continue;
    limit.add(points.length / 3);
    const target = readTargetPoints(document, id);
    if (target?.length !== points.length) {
      onMissing();
      continue;
    }
    for (let k = 0; k < points.length; k++) moved[k] += weights[i] * (isRelative ? target[k] : target[k] - points[k]);
  }
  return moved;
}

function readTargetPoints(document: ColladaDocument, id: string): Float64Array | undefined {
  const mesh = findChild(document.elements.get(`geometry ${id}`), 'mesh');
  const source = findSource(document, inputsOf(findChild(mesh, 'vertices')), 'POSITION');
  return source && readPoints(document, source);
}
