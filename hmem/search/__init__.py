"""From a query to ranked hits: filters, arms, fusion and the reasons for every rank."""
