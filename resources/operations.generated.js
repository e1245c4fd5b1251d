// Generated from src/service/operations/kinds: change those files, then run `npm run generate`.
// The editor loads this script before the scripts of the nodes that use it.
(() => {
  // The operations of the model operation node, the model repair node, and the steps of the model process node.
  const MODEL_OPERATIONS = [
    'analyze',
    'geometrical-repair',
    'shrinkwrap-repair',
    'scale',
    'reduce-triangles',
    'hollowing',
    'wall-thickness-analysis',
    'thumbnail',
  ];
  const REPAIR_OPERATIONS = ['repair', 'geometrical-repair', 'shrinkwrap-repair'];
  const STEP_OPERATIONS = [
    'repair',
    'analyze',
    'geometrical-repair',
    'shrinkwrap-repair',
    'scale',
    'reduce-triangles',
    'hollowing',
    'wall-thickness-analysis',
    'thumbnail',
  ];

  // The values that the local service accepts: operation → parameter → rule. `proposed` is the initial value,
  // `legacyValue` that of nodes that were saved before the parameter existed.
  const OPERATIONS = {
    repair: {
      innerShells: { proposed: 'auto', values: ['auto', 'void', 'merge'] },
      parts: { proposed: 'keep', legacyValue: 'unite', values: ['keep', 'unite'] },
    },
    analyze: {},
    'geometrical-repair': {},
    'shrinkwrap-repair': { accuracy: { proposed: 'Smooth', values: ['Rough', 'Smooth', 'Detailed'] } },
    scale: {
      axis: { proposed: 'z', values: ['x', 'y', 'z'] },
      scaleToSizeMm: { proposed: 100, isInteger: false, exclusiveMin: 0, max: 1000000 },
    },
    'reduce-triangles': {
      accuracyMm: { proposed: 0.1, isInteger: false, exclusiveMin: 0, max: 1000000 },
      targetTriangles: { proposed: 0, isInteger: true, min: 0, max: 1000000000 },
      maxAngle: { proposed: 15, isInteger: true, min: 0, max: 180 },
      numberOfIterations: { proposed: 1, isInteger: true, min: 1, max: 1000 },
    },
    hollowing: {
      wallThicknessMm: { proposed: 2, isInteger: false, exclusiveMin: 0, max: 1000000 },
      direction: { proposed: 'inward', values: ['inward', 'outward'] },
      drainHoleCount: { proposed: 0, isInteger: true, min: 0, max: 20 },
      drainHoleDiameterMm: { proposed: 4, isInteger: false, exclusiveMin: 0, max: 1000000 },
      upAxis: { proposed: 'z', values: ['x', 'y', 'z', '-x', '-y', '-z'] },
    },
    'wall-thickness-analysis': {
      minimalWallThicknessMm: { proposed: 1, isInteger: false, exclusiveMin: 0, max: 1000000 },
      accuracyWallThickness: { proposed: 2, isInteger: true, min: 0, max: 100 },
    },
    thumbnail: {
      width: { proposed: 400, isInteger: true, min: 1, max: 4096 },
      height: { proposed: 300, isInteger: true, min: 1, max: 4096 },
      cameraAngleX: { proposed: 25, isInteger: true, min: -360, max: 360 },
      cameraAngleY: { proposed: 0, isInteger: true, min: -360, max: 360 },
      cameraAngleZ: { proposed: -35, isInteger: true, min: -360, max: 360 },
      background: { proposed: 'plain', values: ['plain', 'transparent'] },
    },
  };

  // What the local service imports: units, the handling of helper bodies, and the bounds of the optional numbers.
  const UNITS = ['mm', 'cm', 'm', 'um', 'inch', 'ft'];
  const HELPER_HANDLINGS = ['apply', 'keep', 'ignore'];
  const IMPORT_NUMBERS = {
    accuracyMm: { isInteger: false, exclusiveMin: 0, max: 1000000 },
    maxAngle: { isInteger: false, min: 1, max: 90 },
    plate: { isInteger: true, min: 1, max: 1000000 },
  };

  // The formats of an export of the local service.
  const FORMATS = ['stl', 'stl-ascii', 'obj', 'ply', 'off', '3mf', 'amf', 'glb'];

  window.modelProcessing = Object.assign(window.modelProcessing ?? {}, {
    MODEL_OPERATIONS,
    REPAIR_OPERATIONS,
    STEP_OPERATIONS,
    OPERATIONS,
    UNITS,
    HELPER_HANDLINGS,
    IMPORT_NUMBERS,
    FORMATS,
  });
})();
