/** The facts of one shop, which every price list among the fixtures has. */
export const shop = {
  title: 'Fjord Cycles: price list',
  note: 'Valid from 1 March 2026. All prices include VAT.',
  repairs: [
    ['Service', 'Code', 'Price', 'Time'],
    ['Puncture repair', 'FC-101', '€14.50', '20 min'],
    ['Brake adjustment', 'FC-102', '€22.00', '30 min'],
    ['Full service', 'FC-110', '€1,089.90', '2 days'],
  ],
  rental: [
    ['Bike', 'Half day', 'Day', 'Week'],
    ['City bike', '€12.00', '€18.00', '€75.00'],
    ['E-bike', '€24.00', '€38.00', '€190.00'],
  ],
  /** A merged cell has one price for half a day and a whole day. */
  cargo: ['Cargo bike', '€45.00', '€220.00'],
  coffee: [
    ['Drink', 'Small'],
    ['Espresso', '€2.40'],
    ['Double espresso', '€3.10'],
    ['Cappuccino', '€3.60'],
    ['Flat white', '€3.90'],
    ['Filter coffee', '€2.90'],
  ],
  cakes: [
    ['Cake', '1 slice', '12 slices'],
    ['Plum crumble', '€4.20', '€38.00'],
    ['Carrot cake', '€4.60', '€41.00'],
    ['Cheesecake', '€4.90', '€44.00'],
    ['Brownie', '€3.20', '€29.00'],
    ['Apple tart', '€4.40', '€39.00'],
    ['Lemon slice', '€3.80', '€34.00'],
  ],
  milk: 'Oat milk costs 50 cents more in every drink that has milk, for which we are sorry.',
  call: 'Fjord Cycles, call 0451 2345, open from 1 March 2026',
  sizes: ['Part', '1 piece', '10 pieces'],
  hours: ['Monday to Friday: 9:00 to 18:30', 'Saturday: 10:00 to 16:00', 'Sunday: closed'],
  steps: ['Bring a passport.', 'Pay the deposit of €50.', 'Bring the bike back by 18:00.'],
}

export const headings = ['Repairs', 'Rental', 'Opening hours', 'How to rent']
