// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {SettlementSplitter} from "../../src/SettlementSplitter.sol";
import {SplitterFixture} from "../support/SplitterFixture.sol";
import {vm} from "../support/Vm.sol";

/// Settles by allowance and by signature, with any shares, while money is also sent to the splitter by mistake.
contract SplitterHandler is SplitterFixture {
    uint256 private constant LARGEST_AMOUNT = 1e15;
    uint16 private constant WHOLE = 10_000;

    uint256 public donated;
    uint256 public grossSettled;
    uint256 public suppliersShare;
    uint256 public settledTwice;
    uint256 private nextSettlement = 1;
    SettlementSplitter.Terms[] private settledByAlice;

    constructor() {
        setUp();
    }

    function split(uint256 gross, uint16 commissionBps, uint16 serviceFeeBps) external {
        SettlementSplitter.Terms memory terms = newTerms(gross, commissionBps, serviceFeeBps);
        fundAndApprove(terms.gross);
        splitAs(ALICE, terms);
        remember(terms);
        settledByAlice.push(terms);
    }

    function splitSigned(uint256 gross, uint16 commissionBps, uint16 serviceFeeBps) external {
        SettlementSplitter.Terms memory terms = newTerms(gross, commissionBps, serviceFeeBps);
        mintTo(ALICE, terms.gross);
        submit(terms, ALICE, signTerms(ALICE_KEY, ALICE, terms));
        remember(terms);
        settledByAlice.push(terms);
    }

    function splitSignedByWallet(uint256 gross, uint16 commissionBps, uint16 serviceFeeBps) external {
        SettlementSplitter.Terms memory terms = newTerms(gross, commissionBps, serviceFeeBps);
        mintTo(address(wallet), terms.gross);
        submit(terms, address(wallet), signTerms(KEEPER_KEY, address(wallet), terms));
        remember(terms);
    }

    function donate(uint256 amount) external {
        uint256 value = 1 + (amount % LARGEST_AMOUNT);
        mintTo(address(splitter), value);
        donated += value;
    }

    /// The payer has the money and allows it: nothing but the used number may stop it.
    function attemptSecondSettlement(uint256 seed) external {
        vm.assume(settledByAlice.length > 0);
        SettlementSplitter.Terms memory terms = settledByAlice[seed % settledByAlice.length];
        mintTo(ALICE, terms.gross);
        vm.prank(ALICE);
        token.approve(address(splitter), terms.gross);
        vm.prank(ALICE);
        (bool success,) = address(splitter).call(abi.encodeCall(splitter.split, (terms)));
        if (success) {
            settledTwice++;
            return;
        }
        // Back where it came from, so that the sums below stay those of the settlements.
        uint256 left = token.balanceOf(ALICE);
        vm.prank(ALICE);
        token.transfer(MINTER, left);
        vm.prank(MINTER);
        token.burn(left);
    }

    function balances()
        external
        view
        returns (uint256 supplier, uint256 agency, uint256 service, uint256 payers, uint256 kept)
    {
        supplier = token.balanceOf(SUPPLIER);
        agency = token.balanceOf(AGENCY);
        service = token.balanceOf(SERVICE);
        payers = token.balanceOf(ALICE) + token.balanceOf(address(wallet));
        kept = token.balanceOf(address(splitter));
    }

    function newTerms(uint256 gross, uint16 commissionBps, uint16 serviceFeeBps)
        private
        returns (SettlementSplitter.Terms memory)
    {
        uint16 commission = commissionBps % (WHOLE + 1);
        return termsOf(
            1 + (gross % LARGEST_AMOUNT),
            commission,
            serviceFeeBps % (WHOLE + 1 - commission),
            bytes32(nextSettlement++)
        );
    }

    function remember(SettlementSplitter.Terms memory terms) private {
        grossSettled += terms.gross;
        suppliersShare += terms.gross - (terms.gross * terms.commissionBps) / WHOLE
        - (terms.gross * terms.serviceFeeBps) / WHOLE;
    }
}
