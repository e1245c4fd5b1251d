import type { Faces } from '../reading/build-mesh-from-faces.js';
import { facesOfExtrusion } from './x3d-extrusion.js';
import { facesOfFaceSet, facesOfFanSet, facesOfQuadSet, facesOfStripSet, facesOfTriangleSet } from './x3d-faces.js';
import type { X3dNode } from './x3d-node.js';
import { facesOfBox, facesOfCone, facesOfCylinder, facesOfElevationGrid, facesOfSphere } from './x3d-primitives.js';

/** Returns the faces of a geometry node. */
type FacesOf = (node: X3dNode) => Faces;

/** The geometry nodes that are read. */
const READ: Record<string, FacesOf> = {
  // Geometry3D, and those of VRML 97
  Box: facesOfBox,
  Cone: facesOfCone,
  Cylinder: facesOfCylinder,
  ElevationGrid: facesOfElevationGrid,
  Extrusion: facesOfExtrusion,
  IndexedFaceSet: facesOfFaceSet,
  Sphere: facesOfSphere,
  // Rendering
  IndexedTriangleFanSet: facesOfFanSet,
  IndexedTriangleSet: facesOfTriangleSet,
  IndexedTriangleStripSet: facesOfStripSet,
  TriangleFanSet: facesOfFanSet,
  TriangleSet: facesOfTriangleSet,
  TriangleStripSet: facesOfStripSet,
  // CADGeometry
  IndexedQuadSet: facesOfQuadSet,
  QuadSet: facesOfQuadSet,
};

/** The geometry nodes that are not read, and other nodes that show something of their own. */
const UNREAD: readonly string[] = [
  // Rendering: lines and points
  'IndexedLineSet',
  'LineSet',
  'PointSet',
  // Text, Geometry2D: flat, or lines and points
  'Text',
  'Arc2D',
  'ArcClose2D',
  'Circle2D',
  'Disk2D',
  'Polyline2D',
  'Polypoint2D',
  'Rectangle2D',
  'TriangleSet2D',
  // Geospatial: coordinates on the globe
  'GeoElevationGrid',
  // NURBS, also in VRML 97
  'NurbsCurve',
  'NurbsPatchSurface',
  'NurbsSurface',
  'NurbsSweptSurface',
  'NurbsSwungSurface',
  'NurbsTrimmedSurface',
  'TrimmedSurface',
  // ParticleSystems, VolumeRendering: no geometry
  'ParticleSystem',
  'IsoSurfaceVolumeData',
  'SegmentedVolumeData',
  'VolumeData',
];

/**
 * All geometry nodes of ISO/IEC 19775-1:2023 (X3D 4.0) and ISO/IEC 14772 (VRML 97) → their faces, or `undefined` for
 * those that are not read.
 */
export const GEOMETRIES: ReadonlyMap<string, FacesOf | undefined> = new Map<string, FacesOf | undefined>([
  ...Object.entries(READ),
  ...UNREAD.map((type) => [type, undefined] as const),
]);
