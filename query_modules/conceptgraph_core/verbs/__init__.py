"""What every verb is made of: its declaration, arguments, context, errors and checks."""
