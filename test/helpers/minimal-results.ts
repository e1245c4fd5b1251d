/** The required fields of an analysis, for a cube of 10 mm. */
export const ANALYSIS = {
  vertices: 8,
  triangles: 12,
  contours: 0,
  shells: 1,
  volumeMm3: 1000,
  surfaceAreaMm2: 600,
  dimensionXMm: 10,
  dimensionYMm: 10,
  dimensionZMm: 10,
  badEdges: 0,
  badContours: 0,
  solidityParams: { invertedNormals: 0, badEdges: 0, badContours: 0, nearBadEdges: 0, planarHoles: 0 },
  qualityParams: { noiseShells: 0, overlappingTriangles: 0, intersectingTriangles: 0, isFacetingScoreOk: true },
};

/** The analysis of a cube with a hole. */
export const OPEN_ANALYSIS = { ...ANALYSIS, contours: 1, badEdges: 4, badContours: 1 };

/**
 * Returns the required fields of the result of an operation, without `operationId`. `addFile` stores a file and returns
 * its id.
 */
export function createMinimalResult(
  operation: string,
  newId: () => string,
  addFile: (content: string) => string,
): object {
  if (operation === 'analyze') return ANALYSIS;
  if (operation === 'export') return { fileId: addFile('solid\nendsolid\n') };
  if (operation === 'thumbnail') return { fileId: addFile('a thumbnail') };
  if (operation === 'preview') return { fileId: addFile('a preview') };
  if (operation === 'wall-thickness-analysis')
    return { fileId: addFile('a colored model'), hasThinWalls: false, hasPossibleThinWalls: true };
  return { resultId: newId() };
}
