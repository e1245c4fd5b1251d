import { BOX_FACES, BOX_POINTS, directionsOf } from './box.js';

const UNITS = {
  mm: '(LENGTH_UNIT() NAMED_UNIT(*) SI_UNIT(.MILLI.,.METRE.))',
  inch: "(CONVERSION_BASED_UNIT('INCH',#92) LENGTH_UNIT() NAMED_UNIT(#91))",
};

const PRODUCT = `#1=APPLICATION_CONTEXT('mechanical design');
#2=PRODUCT_CONTEXT('',#1,'mechanical');
#3=PRODUCT('bracket','bracket','',(#2));
#4=PRODUCT_DEFINITION_FORMATION('','',#3);
#5=PRODUCT_DEFINITION_CONTEXT('part definition',#1,'design');
#6=PRODUCT_DEFINITION('design','',#4,#5);
#7=PRODUCT_DEFINITION_SHAPE('','',#6);
#8=SHAPE_DEFINITION_REPRESENTATION(#7,#9);`;

const UNIT_CONTEXT = `#95=(NAMED_UNIT(*) PLANE_ANGLE_UNIT() SI_UNIT($,.RADIAN.));
#96=(NAMED_UNIT(*) SI_UNIT($,.STERADIAN.) SOLID_ANGLE_UNIT());`;

const INCH = `#90=(LENGTH_UNIT() NAMED_UNIT(*) SI_UNIT(.MILLI.,.METRE.));
#91=DIMENSIONAL_EXPONENTS(1.,0.,0.,0.,0.,0.,0.);
#92=LENGTH_MEASURE_WITH_UNIT(LENGTH_MEASURE(25.4),#90);`;

function stepFile(representation: string, unit: keyof typeof UNITS | undefined, data: readonly string[]): Buffer {
  const units = unit
    ? `${unit === 'inch' ? INCH : ''}
#94=${UNITS[unit]};
${UNIT_CONTEXT}
#10=(GEOMETRIC_REPRESENTATION_CONTEXT(3) GLOBAL_UNIT_ASSIGNED_CONTEXT((#94,#95,#96)) REPRESENTATION_CONTEXT('',''));`
    : "#10=(GEOMETRIC_REPRESENTATION_CONTEXT(3) REPRESENTATION_CONTEXT('',''));";
  return Buffer.from(`ISO-10303-21;
HEADER;
FILE_DESCRIPTION((''),'2;1');
FILE_NAME('a.step','2026-01-01T00:00:00',(''),(''),'','','');
FILE_SCHEMA(('AUTOMOTIVE_DESIGN { 1 0 10303 214 1 1 1 1 }'));
ENDSEC;
DATA;
${PRODUCT}
#9=${representation};
${units}
${data.join('\n')}
ENDSEC;
END-ISO-10303-21;
`);
}

/** Returns a STEP of the box as a faceted solid, in the given unit or without one. */
export function stepBox(unit?: keyof typeof UNITS): Buffer {
  const points = BOX_POINTS.map((point, i) => `#${100 + i}=CARTESIAN_POINT('',(${point.map((x) => `${x}.`).join()}));`);
  const direction = (id: number, values: number[]) => `#${id}=DIRECTION('',(${values.map((x) => `${x}.`).join()}));`;
  const planes = BOX_FACES.flatMap((corners, i) => {
    const { normal, along } = directionsOf(corners);
    return [
      direction(700 + i, normal),
      direction(800 + i, along),
      `#${900 + i}=AXIS2_PLACEMENT_3D('',#${100 + corners[0]},#${700 + i},#${800 + i});`,
      `#${600 + i}=PLANE('',#${900 + i});`,
    ];
  });
  const faces = BOX_FACES.flatMap((corners, i) => [
    `#${200 + i}=POLY_LOOP('',(${corners.map((corner) => `#${100 + corner}`).join()}));`,
    `#${300 + i}=FACE_OUTER_BOUND('',#${200 + i},.T.);`,
    `#${400 + i}=FACE_SURFACE('',(#${300 + i}),#${600 + i},.T.);`,
  ]);
  const shell = `#500=CLOSED_SHELL('',(${BOX_FACES.map((_, i) => `#${400 + i}`).join()}));`;
  return stepFile("FACETED_BREP_SHAPE_REPRESENTATION('',(#501),#10)", unit, [
    ...points,
    ...planes,
    ...faces,
    shell,
    "#501=FACETED_BREP('box',#500);",
  ]);
}

/** Returns a STEP of a red cylinder of 10 mm radius and 20 mm height, upright on the origin, with exact surfaces. */
export function stepCylinder(): Buffer {
  return stepFile("ADVANCED_BREP_SHAPE_REPRESENTATION('',(#150),#10)", 'mm', [
    "#100=CARTESIAN_POINT('',(0.,0.,0.));",
    "#101=CARTESIAN_POINT('',(0.,0.,20.));",
    "#102=CARTESIAN_POINT('',(10.,0.,0.));",
    "#103=CARTESIAN_POINT('',(10.,0.,20.));",
    "#104=DIRECTION('',(0.,0.,1.));",
    "#105=DIRECTION('',(1.,0.,0.));",
    "#106=AXIS2_PLACEMENT_3D('',#100,#104,#105);",
    "#107=AXIS2_PLACEMENT_3D('',#101,#104,#105);",
    "#110=VERTEX_POINT('',#102);",
    "#111=VERTEX_POINT('',#103);",
    "#112=CIRCLE('',#106,10.);",
    "#113=CIRCLE('',#107,10.);",
    "#114=VECTOR('',#104,1.);",
    "#115=LINE('',#102,#114);",
    "#120=EDGE_CURVE('',#110,#110,#112,.T.);",
    "#121=EDGE_CURVE('',#111,#111,#113,.T.);",
    "#122=EDGE_CURVE('',#110,#111,#115,.T.);",
    "#130=CYLINDRICAL_SURFACE('',#106,10.);",
    "#131=PLANE('',#106);",
    "#132=PLANE('',#107);",
    "#133=ORIENTED_EDGE('',*,*,#120,.T.);",
    "#134=ORIENTED_EDGE('',*,*,#122,.T.);",
    "#135=ORIENTED_EDGE('',*,*,#121,.F.);",
    "#136=ORIENTED_EDGE('',*,*,#122,.F.);",
    "#137=ORIENTED_EDGE('',*,*,#120,.F.);",
    "#138=ORIENTED_EDGE('',*,*,#121,.T.);",
    "#140=EDGE_LOOP('',(#133,#134,#135,#136));",
    "#141=EDGE_LOOP('',(#137));",
    "#142=EDGE_LOOP('',(#138));",
    "#143=FACE_OUTER_BOUND('',#140,.T.);",
    "#144=FACE_OUTER_BOUND('',#141,.T.);",
    "#145=FACE_OUTER_BOUND('',#142,.T.);",
    "#146=ADVANCED_FACE('',(#143),#130,.T.);",
    "#147=ADVANCED_FACE('',(#144),#131,.F.);",
    "#148=ADVANCED_FACE('',(#145),#132,.T.);",
    "#149=CLOSED_SHELL('',(#146,#147,#148));",
    "#150=MANIFOLD_SOLID_BREP('',#149);",
    "#160=COLOUR_RGB('',1.,0.,0.);",
    "#161=FILL_AREA_STYLE_COLOUR('',#160);",
    "#162=FILL_AREA_STYLE('',(#161));",
    '#163=SURFACE_STYLE_FILL_AREA(#162);',
    "#164=SURFACE_SIDE_STYLE('',(#163));",
    '#165=SURFACE_STYLE_USAGE(.BOTH.,#164);',
    '#166=PRESENTATION_STYLE_ASSIGNMENT((#165));',
    "#167=STYLED_ITEM('',(#166),#150);",
    "#168=MECHANICAL_DESIGN_GEOMETRIC_PRESENTATION_REPRESENTATION('',(#167),#10);",
  ]);
}
