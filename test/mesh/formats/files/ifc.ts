const UNITS = { metre: '$', millimetre: '.MILLI.' };

/** Returns an IFC of a building with one slab of 1 x 2 x 3, an extruded outline, in the given unit. */
export function ifcBox(unit: keyof typeof UNITS): Buffer {
  return Buffer.from(`ISO-10303-21;
HEADER;
FILE_DESCRIPTION(('ViewDefinition [CoordinationView]'),'2;1');
FILE_NAME('a.ifc','2026-01-01T00:00:00',(''),(''),'','','');
FILE_SCHEMA(('IFC4'));
ENDSEC;
DATA;
#1=IFCPERSON($,$,'',$,$,$,$,$);
#2=IFCORGANIZATION($,'',$,$,$);
#3=IFCPERSONANDORGANIZATION(#1,#2,$);
#4=IFCAPPLICATION(#2,'','','');
#5=IFCOWNERHISTORY(#3,#4,$,.ADDED.,0,#3,#4,0);
#6=IFCDIRECTION((0.,0.,1.));
#7=IFCDIRECTION((1.,0.,0.));
#8=IFCCARTESIANPOINT((0.,0.,0.));
#9=IFCAXIS2PLACEMENT3D(#8,#6,#7);
#10=IFCGEOMETRICREPRESENTATIONCONTEXT($,'Model',3,1.E-05,#9,$);
#11=IFCSIUNIT(*,.LENGTHUNIT.,${UNITS[unit]},.METRE.);
#12=IFCUNITASSIGNMENT((#11));
#13=IFCPROJECT('2Iicv0RnfAVPda6Sg4SE78',#5,'box',$,$,$,$,(#10),#12);
#14=IFCLOCALPLACEMENT($,#9);
#15=IFCBUILDING('3FweM$L1L56fABBUNXlIbJ',#5,$,$,$,#14,$,$,.ELEMENT.,$,$,$);
#16=IFCRELAGGREGATES('3d0apJSKnCWhbktmj33dJ8',#5,$,$,#13,(#15));
#17=IFCCARTESIANPOINT((0.5,1.));
#18=IFCDIRECTION((1.,0.));
#19=IFCAXIS2PLACEMENT2D(#17,#18);
#20=IFCRECTANGLEPROFILEDEF(.AREA.,$,#19,1.,2.);
#21=IFCEXTRUDEDAREASOLID(#20,#9,#6,3.);
#22=IFCSHAPEREPRESENTATION(#10,'Body','SweptSolid',(#21));
#23=IFCPRODUCTDEFINITIONSHAPE($,$,(#22));
#24=IFCSLAB('3g46_woBL6sugXeY5_WP6n',#5,'lid',$,$,#14,#23,$,.FLOOR.);
#25=IFCRELCONTAINEDINSPATIALSTRUCTURE('3xqBbvJO14iQBO0t1Vhr9P',#5,$,$,(#24),#15);
ENDSEC;
END-ISO-10303-21;
`);
}

/** An item that maps an extruded box of 100 x 100 x 100: the factors along x, y, z, and the position. */
export interface MappedBox {
  factors: readonly [number, number, number];
  x: number;
}

/**
 * Returns an IFC in mm whose products map the same box. `products` are the items of each. If `outer` is given, the items
 * are mapped once more, by these.
 */
export function mappedIfcBoxes(products: readonly (readonly MappedBox[])[], outer: readonly MappedBox[] = []): Buffer {
  const lines: string[] = [];
  let id = 100;
  const add = (entity: string): string => {
    lines.push(`#${++id}=${entity};`);
    return `#${id}`;
  };
  const addMap = (items: readonly string[], kind: string): string =>
    add(`IFCREPRESENTATIONMAP(#9,${add(`IFCSHAPEREPRESENTATION(#10,'Body','${kind}',(${items.join()}))`)})`);
  const addItem = (map: string, { factors, x }: MappedBox): string => {
    const axes = factors.map((factor, k) =>
      add(`IFCDIRECTION((${[0, 1, 2].map((i) => (i === k ? `${Math.sign(factor)}.` : '0.')).join()}))`),
    );
    const scales = factors.map((factor) => `${Math.abs(factor)}.`);
    const origin = add(`IFCCARTESIANPOINT((${x}.,0.,0.))`);
    const operator = `${axes[0]},${axes[1]},${origin},${scales[0]},${axes[2]},${scales[1]},${scales[2]}`;
    return add(`IFCMAPPEDITEM(${map},${add(`IFCCARTESIANTRANSFORMATIONOPERATOR3DNONUNIFORM(${operator})`)})`);
  };
  const box = addMap(['#21'], 'SweptSolid');
  const elements = products.map((product, i) => {
    const items = product.map((item) => addItem(box, item));
    const placed = outer.length > 0 ? outer.map((item) => addItem(addMap(items, 'MappedRepresentation'), item)) : items;
    const body = add(`IFCSHAPEREPRESENTATION(#10,'Body','MappedRepresentation',(${placed.join()}))`);
    const shape = add(`IFCPRODUCTDEFINITIONSHAPE($,$,(${body}))`);
    return add(`IFCBUILDINGELEMENTPROXY('3g46_woBL6sugXeY5_WP${i}n',$,'lid ${i}',$,$,#14,${shape},$,$)`);
  });
  const text = ifcBox('millimetre')
    .toString()
    .replace('IFCRECTANGLEPROFILEDEF(.AREA.,$,#19,1.,2.)', 'IFCRECTANGLEPROFILEDEF(.AREA.,$,#19,100.,100.)')
    .replace('IFCCARTESIANPOINT((0.5,1.))', 'IFCCARTESIANPOINT((50.,50.))')
    .replace('#9,#6,3.)', '#9,#6,100.)')
    .replace(/#22=[\s\S]*#24=.*\n/, `${lines.join('\n')}\n`)
    .replace(',(#24),#15)', `,(${elements.join()}),#15)`);
  return Buffer.from(text);
}
