"""The mathematics: one declaration per operator."""
